package io.muntin

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit}

/** A call of a Muntin SQL function, even if the session has another function with the same name. */
private[muntin] object Call {

  /** The value of an omitted column argument. */
  val absent: Column = lit(null)

  def apply(name: String, arguments: Column*): Column =
    call_function(s"`muntin.$name`", arguments: _*)
}

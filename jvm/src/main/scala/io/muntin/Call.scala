package io.muntin

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit}

/** A call of an SQL function of Muntin's, whatever functions of the same name the session has. */
private[muntin] object Call {

  /** What a column is that an argument leaves out. */
  val absent: Column = lit(null)

  def apply(name: String, arguments: Column*): Column =
    call_function(s"`muntin.$name`", arguments: _*)
}

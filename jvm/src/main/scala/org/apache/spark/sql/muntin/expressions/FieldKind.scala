package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.SqlFunction

/** The SQL function of a window along a field, and the names of its parts. */
sealed abstract class FieldKind(val parameter: String, val opening: String, val closing: String)
    extends Serializable {
  def function: SqlFunction
}

object FieldKind {
  case object Along extends FieldKind("field", "open", "close") {
    override def function: SqlFunction = FieldWindow
  }

  case object Tumbling extends FieldKind("time", "start", "end") {
    override def function: SqlFunction = Tumble
  }

  case object Hopping extends FieldKind("time", "start", "end") {
    override def function: SqlFunction = Hop
  }
}

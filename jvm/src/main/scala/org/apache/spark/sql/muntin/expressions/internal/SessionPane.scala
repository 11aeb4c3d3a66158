package org.apache.spark.sql.muntin.expressions.internal

import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.muntin.expressions.Sessions
import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.types.{DataType, Decimal, LongType}

/**
 * The pane of a time, for sessions: times that are less than a gap apart. All rows of a pane are in
 * one session, independent of the other rows.
 */
final case class SessionPane(child: Expression, shown: String, gap: Long)
    extends UnaryExpression
    with CodegenFallback
    with Pane {
  override def function: SqlFunction = Sessions

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def prettyName: String = "session_pane"

  // The window above shows the gap.
  override def toString: String = s"$prettyName($shown)"

  override def eval(input: InternalRow): Any = child.eval(input) match {
    case d: Decimal => Math.floorDiv(d.toUnscaledLong, gap)
    case n: Number => Math.floorDiv(n.longValue, gap)
    case null => throw InvalidWindowRowException.missing("time", shown)
    case other => throw new IllegalStateException(s"no time: $other")
  }

  override protected def withNewChildInternal(newChild: Expression): SessionPane =
    copy(child = newChild)
}

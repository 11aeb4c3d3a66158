package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Alias, Ascending, Expression, SortOrder}
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._

/** sessions: a window of a group for each run of rows without a gap. */
final case class Sessions(time: Expression, gap: SessionGap, override val drain: Option[Boolean])
    extends GroupWindow {
  override def function: SqlFunction = Sessions

  override def children: Seq[Expression] = Seq(time)

  override def dataType: StructType = StructType(
    Seq("start", "end").map(StructField(_, time.dataType, nullable = false))
  )

  override def order: Seq[SortOrder] = Seq(SortOrder(time, Ascending))

  /** Returns the time as the query writes it. */
  def shown: String = FieldNumbers.shown(time)

  override protected def argumentsSql: Seq[String] =
    s"gap => ${gap.sql(time.dataType)}" +: drain.map(d => s"drain => $d").toSeq

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Sessions =
    copy(time = newChildren.head)
}

object Sessions extends SqlFunction {
  override def definition: Definition = Definitions.sessions

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(timeOf, gapOf, drainOf) =>
      val read = new Arguments(name)
      val time = read.row("time", unaliased(timeOf))
      val gap = SessionGap.read(read, "time", time, gapOf)
      Sessions(gap.timeOf(time), gap, read.expression(drainOf).map(read.flag("drain", _)))
  }

  private def unaliased(argument: Expression): Expression = argument match {
    case Alias(child, _) => unaliased(child)
    case other => other
  }
}

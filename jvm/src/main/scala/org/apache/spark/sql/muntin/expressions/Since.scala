package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate

/** The aggregate of everything since the `count`-th most recent row whose `predicate` was true. */
final case class Since(
    aggregated: Aggregated,
    predicate: Expression,
    count: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends MovingAggregate {
  override def prettyName: String = Since.name

  override def own: Seq[Expression] = Seq(predicate)

  override protected def argumentsSql: Seq[String] =
    predicate.sql +: (if (count == 1) Nil else Seq(s"$count"))

  // The current row is in its own window, even where it closes the window: the next row begins a
  // new one.
  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] = {
    if (rows.nonEmpty && closes(rows.last) && rows.count(closes) == count) {
      rows.remove(0, rows.indexWhere(closes) + 1)
    }
    rows += row.copy()
  }

  private def closes(row: InternalRow): Boolean = predicate.eval(row) == true

  override protected def withParts(aggregated: Aggregated, own: Seq[Expression]): Since =
    copy(aggregated = aggregated, predicate = own.head)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Since extends MovingFunction {
  override def definition: Definition = Definitions.since

  override def bringsFrame: Boolean = true

  override protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate] = {
    case Seq(agg, predicate, n) =>
      val read = new Arguments(name)
      val closing = read
        .condition("predicate", predicate)
        .getOrElse(throw read.invalid("predicate", "NULL; expected is a BOOLEAN, such as x > 0"))
      Since(Aggregated(read.movable(agg)), closing, read.positive("n", n))
  }
}

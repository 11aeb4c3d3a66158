package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.muntin.expressions.common.{
  Aggregated,
  Arguments,
  Definition,
  Definitions,
  MovingAggregate
}

/**
 * An aggregate of all rows since the `count`-th most recent row for which `predicate` was true;
 * with `opens`, including that row.
 */
final case class Since(
    aggregated: Aggregated,
    predicate: Expression,
    count: Int,
    opens: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends MovingAggregate {
  override def prettyName: String = Since.name

  override def ownExpressions: Seq[Expression] = Seq(predicate)

  override protected def argumentsSql: Seq[String] =
    Seq(predicate.sql) ++ Option.when(count != 1)(s"$count") ++
      Option.when(opens)("closed => 'left'")

  // The current row is in its own window, even if it closes the window: the next row begins a new
  // one. With `opens` the current row begins the new window.
  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] = {
    if (opens) {
      rows += row.copy()
      if (divides(row)) {
        val dividing = rows.indices.filter(i => divides(rows(i)))
        if (dividing.size >= count) rows.remove(0, dividing(dividing.size - count))
      }
    } else {
      if (rows.nonEmpty && divides(rows.last) && rows.count(divides) == count) {
        rows.remove(0, rows.indexWhere(divides) + 1)
      }
      rows += row.copy()
    }
    rows
  }

  private def divides(row: InternalRow): Boolean = predicate.eval(row) == true

  override protected def withParts(aggregated: Aggregated, ownExpressions: Seq[Expression]): Since =
    copy(aggregated = aggregated, predicate = ownExpressions.head)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Since extends TimeToLive {
  override def definition: Definition = Definitions.since

  override def bringsFrame: Boolean = true

  override protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate] = {
    case Seq(agg, predicate, n, closed, _) =>
      val read = new Arguments(name)
      val dividing = read
        .condition("predicate", predicate)
        .getOrElse(throw read.invalidValue("predicate", predicate, "a BOOLEAN, such as x > 0"))
      val opens = read.word("closed", closed, Seq("right", "left")) == "left"
      Since(Aggregated(read.movable(agg)), dividing, read.positive("n", n), opens)
  }
}

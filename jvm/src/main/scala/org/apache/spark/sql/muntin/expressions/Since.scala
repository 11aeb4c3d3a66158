package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.plans.logical.InputParameter

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

  // The last row stands for itself: only when the next one comes does it close what it belongs to.
  override def update(
      rows: mutable.ArrayDeque[InternalRow],
      row: InternalRow
  ): mutable.ArrayDeque[InternalRow] = {
    if (rows.nonEmpty && closes(rows.last) && rows.count(closes) == count) {
      rows.dropInPlace(rows.indexWhere(closes) + 1): Unit
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
  override val name: String = "since"

  override val parameters: Seq[InputParameter] =
    Seq(required("agg"), required("predicate"), optional("n", Literal(1)))

  override val usage: String =
    """
      _FUNC_(agg, predicate[, n]) OVER (PARTITION BY … ORDER BY …) - Returns the aggregate of
      everything since the n-th most recent row (by default the most recent one) whose predicate was
      true, or since the first row. The row that makes the predicate true still belongs to the part
      that it closes. Rows of equal order are taken one by one, as with ROWS.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT since(sum(x), x < 5) OVER (ORDER BY t) " +
      "FROM VALUES (1, 5), (2, 2), (3, 13) AS d(t, x)",
    "5",
    "7",
    "13"
  )

  override protected def bringsFrame: Boolean = true

  override protected def moving: PartialFunction[Seq[Expression], MovingAggregate] = {
    case Seq(agg, predicate, n) =>
      val read = new Arguments(name)
      val closing = read
        .condition("predicate", predicate)
        .getOrElse(throw read.invalid("predicate", "NULL; expected is a BOOLEAN, such as x > 0"))
      Since(Aggregated(read.aggregate(agg)), closing, read.positive("n", n))
  }
}

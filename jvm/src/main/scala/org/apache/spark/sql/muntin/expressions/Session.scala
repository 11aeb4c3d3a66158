package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.muntin.expressions.common._

/**
 * An aggregate of the rows since the last gap between two rows; see `Session.definition`. The order
 * of the OVER clause provides the time along which gaps are measured.
 */
final case class Session(
    aggregated: Aggregated,
    gap: SessionGap,
    gapSql: String,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends MovingAggregate {
  override def prettyName: String = Session.name

  override def ownExpressions: Seq[Expression] = Nil

  override protected def argumentsSql: Seq[String] = Seq(gapSql)

  // Not called: Spark's operator does not provide the order, so only Muntin's operator runs this
  // aggregate.
  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] =
    throw new UnsupportedOperationException(s"$this only runs in Muntin's operator")

  override protected def withParts(
      aggregated: Aggregated,
      ownExpressions: Seq[Expression]
  ): Session =
    copy(aggregated = aggregated)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Session extends MovingFunction {
  override def definition: Definition = Definitions.session

  override def bringsFrame: Boolean = true

  override protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate] = {
    case Seq(agg, gap) =>
      val read = new Arguments(name)
      Session(
        Aggregated(read.aggregate(agg)),
        SessionGap.alongOrder(read, spec.orderSpec, gap),
        gap.sql
      )
  }
}

package org.apache.spark.sql.muntin.expressions

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.merging.KernelPartials
import io.muntin.kernel.sums.{TimeWeightedRows, TimeWeightedSum}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.muntin.aggregates.KernelAggregate
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._

/** The average of a value over time; see `TimeWeightedAvg.definition`. */
final case class TimeWeightedAvg(
    value: Expression,
    at: Expression,
    isLinear: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends KernelAggregate[TimeWeightedSum]
    with CallStyleAggregate {
  override def prettyName: String = TimeWeightedAvg.name

  override def children: Seq[Expression] = Seq(value, at)

  override def dataType: DataType = DoubleType

  override def nullable: Boolean = true

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    children.map(format) ++ (if (isLinear) Seq("'linear'") else Nil)

  @transient override lazy val inputs: Seq[Expression] =
    Seq(Ewm.asDouble(value), TimeInMicros(at))

  @transient private lazy val disorder = TimesGoBack(prettyName, "at", at)

  override def createAggregationBuffer(): TimeWeightedSum =
    new TimeWeightedSum(isLinear, disorder)

  override def update(sum: TimeWeightedSum, row: InternalRow): TimeWeightedSum = {
    val values = inputs.map(_.eval(row))
    if (!values.contains(null)) {
      sum.add(values(0).asInstanceOf[Double], values(1).asInstanceOf[Long])
    }
    sum
  }

  override protected def partials(
      columns: Seq[Column],
      marks: Option[Column]
  ): KernelPartials[TimeWeightedSum] =
    new TimeWeightedRows(
      columns(0).asInstanceOf[DoubleColumn],
      columns(1).asInstanceOf[LongColumn],
      isLinear,
      marks,
      disorder
    )

  override def eval(sum: TimeWeightedSum): Any = if (sum.isInstant) null else sum.average

  override protected def write(sum: TimeWeightedSum, target: InternalRow, ordinal: Int): Unit =
    if (sum.isInstant) target.setNullAt(ordinal) else target.setDouble(ordinal, sum.average)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : TimeWeightedAvg =
    copy(value = newChildren(0), at = newChildren(1))
}

object TimeWeightedAvg extends SqlFunction {
  override def definition: Definition = Definitions.timeWeightedAvg

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, at, method) =>
      val read = new Arguments(name)
      x.dataType match {
        case _: NumericType =>
        case _ =>
          throw read.invalidType("x", x, s"a number, such as CAST(${x.sql} AS DOUBLE)")
      }
      val isLinear = read.word("method", method, Seq("locf", "linear")) == "linear"
      TimeWeightedAvg(x, TimeInMicros.of(read, "at", at), isLinear)
  }
}

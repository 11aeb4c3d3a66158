package org.apache.spark.sql.muntin.expressions

import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.merging.KernelPartials
import io.muntin.kernel.sums.{CounterRows, CounterSum}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal, UnscaledValue}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.DateTimeConstants.{MICROS_PER_DAY, MICROS_PER_SECOND}
import org.apache.spark.sql.catalyst.util.MathUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.aggregates.KernelAggregate
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._

/** The increase of a counter: a number, or a rate per unit of time. */
sealed abstract class CounterAggregate extends KernelAggregate[CounterSum] with CallStyleAggregate {
  def counter: Expression
  def time: Option[Expression]

  override def nullable: Boolean = true

  final override def children: Seq[Expression] = counter +: time.toSeq

  protected final def isWhole: Boolean = counter.dataType.isInstanceOf[IntegralType]

  /** The type of a DECIMAL counter; its digits are counted as a whole number. */
  protected final def decimal: Option[DecimalType] = counter.dataType match {
    case d: DecimalType => Some(d)
    case _ => None
  }

  protected final def decimalOf(sum: CounterSum, of: DecimalType): java.math.BigDecimal =
    new java.math.BigDecimal(sum.bigInteger, of.scale)

  @transient override lazy val inputs: Seq[Expression] = {
    val value = counter.dataType match {
      case LongType | DoubleType => counter
      case _: DecimalType => UnscaledValue(counter)
      case _ => Cast(counter, if (isWhole) LongType else DoubleType)
    }
    value +: time.map(TimeInMicros(_)).toSeq
  }

  @transient private lazy val disorder = TimesGoBack(prettyName, "at", time.getOrElse(counter))

  override def createAggregationBuffer(): CounterSum =
    new CounterSum(isWhole || decimal.isDefined, disorder)

  override def update(sum: CounterSum, row: InternalRow): CounterSum = {
    val values = inputs.map(_.eval(row))
    if (!values.contains(null)) {
      val time = if (values.size == 2) values(1).asInstanceOf[Long] else 0L
      values.head match {
        case whole: Long => sum.add(whole, time)
        case other => sum.add(other.asInstanceOf[Double], time)
      }
    }
    sum
  }

  override protected def partials(
      columns: Seq[Column],
      marks: Option[Column]
  ): KernelPartials[CounterSum] =
    new CounterRows(
      columns.head,
      if (columns.size == 2) Some(columns(1).asInstanceOf[LongColumn]) else None,
      marks,
      disorder
    )

  protected def unit: Option[Literal] = None

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    (children ++ unit).map(format)
}

/** The increase of a counter; see `CounterIncrease.definition`. */
final case class CounterIncrease(
    counter: Expression,
    failsOnOverflow: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends CounterAggregate {
  override def prettyName: String = CounterIncrease.name

  override def time: Option[Expression] = None

  // As wide as Spark's sum.
  private lazy val wide =
    decimal.map(d => DecimalType(math.min(DecimalType.MAX_PRECISION, d.precision + 10), d.scale))

  override def dataType: DataType = wide.getOrElse(if (isWhole) LongType else DoubleType)

  // The increase fits unless the counter restarts 10^10 times.
  private def inDecimal(sum: CounterSum, of: DecimalType): Decimal =
    Decimal(decimalOf(sum, of), of.precision, of.scale)

  override def eval(sum: CounterSum): Any =
    if (isNull(sum)) null
    else if (isWhole) sum.long
    else wide.fold[Any](sum.double)(inDecimal(sum, _))

  override protected def write(sum: CounterSum, target: InternalRow, ordinal: Int): Unit =
    if (isNull(sum)) target.setNullAt(ordinal)
    else if (isWhole) target.setLong(ordinal, sum.long)
    else {
      wide match {
        case Some(of) => target.setDecimal(ordinal, inDecimal(sum, of), of.precision)
        case None => target.setDouble(ordinal, sum.double)
      }
    }

  private def isNull(sum: CounterSum): Boolean =
    sum.count == 0L || (isWhole && !sum.fitsLong && {
      // Spark's own error.
      if (failsOnOverflow) MathUtils.addExact(Long.MaxValue, 1L): Unit
      true
    })

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : CounterIncrease =
    copy(counter = newChildren.head)
}

object CounterIncrease extends SqlFunction {
  override def definition: Definition = Definitions.counterIncrease

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case Seq(x) =>
    CounterIncrease(counter(new Arguments(name), x), SQLConf.get.ansiEnabled)
  }

  /** Reads the argument of a counter function. */
  private[expressions] def counter(read: Arguments, x: Expression): Expression =
    x.dataType match {
      case _: IntegralType | FloatType | DoubleType => x
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => x
      case _ =>
        throw read.invalidType(
          "x",
          x,
          "a whole number, a DECIMAL of at most 18 digits, or a DOUBLE, such as " +
            s"CAST(${x.sql} AS DOUBLE)"
        )
    }
}

/** The increase of a counter divided by the elapsed time; see `CounterRate.definition`. */
final case class CounterRate(
    counter: Expression,
    at: Expression,
    override val unit: Option[Literal],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends CounterAggregate {
  override def prettyName: String = CounterRate.name

  override def time: Option[Expression] = Some(at)

  override def dataType: DataType = DoubleType

  private lazy val unitLength: Double = unit.map(Rate.lengthOf).getOrElse(at.dataType match {
    case TimestampType | TimestampNTZType => MICROS_PER_SECOND.toDouble
    case DateType => MICROS_PER_DAY.toDouble
    case _ => 1.0
  })

  private def rate(sum: CounterSum): Double = {
    val increase = decimal.fold(sum.double)(decimalOf(sum, _).doubleValue)
    increase * unitLength / sum.elapsed.toDouble
  }

  override def eval(sum: CounterSum): Any = if (sum.elapsed == 0L) null else rate(sum)

  override protected def write(sum: CounterSum, target: InternalRow, ordinal: Int): Unit =
    if (sum.elapsed == 0L) target.setNullAt(ordinal) else target.setDouble(ordinal, rate(sum))

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : CounterRate =
    copy(counter = newChildren(0), at = newChildren(1))
}

object CounterRate extends SqlFunction {
  override def definition: Definition = Definitions.counterRate

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, at, unit) =>
      val read = new Arguments(name)
      val time = TimeInMicros.of(read, "at", at)
      CounterRate(
        CounterIncrease.counter(read, x),
        time,
        read.expression(unit).map(Rate.unitOf(read, _, time.dataType))
      )
  }
}

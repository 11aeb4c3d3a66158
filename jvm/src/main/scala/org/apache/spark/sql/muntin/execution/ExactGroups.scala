package org.apache.spark.sql.muntin.execution

import java.math.{BigDecimal => JBigDecimal, BigInteger, RoundingMode}

import io.muntin.kernel.{
  BitMerge,
  BitXor,
  Column,
  CountPresent,
  DecimalSum,
  DoubleColumn,
  ExactSum,
  Int128Column,
  IntegerSum,
  LongColumn
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * Counts, sums, averages and bits: what leaves a frame is taken out of the accumulator again, and
 * nothing of it remains.
 */
object ExactGroups {
  val plans: PartialFunction[Call, FunctionPlan] = {
    case Call(Count(inputs), None) if !inputs.exists(_.nullable) => CountRows
    case call @ Call(Count(inputs), _) => CountValues(call.masked(counted(inputs)))
    case call @ Call(sum: Sum, _) if sum.child.dataType != NullType =>
      SumValues(sum, call.masked(sum.child))
    case call @ Call(average: Average, _) if average.child.dataType != NullType =>
      AverageValues(average, call.masked(average.child))
    case call @ Call(BitXorAgg(input), _) => XorBits(call.masked(input))
    case call @ Call(BitAndAgg(input), _) => MergeBits(call.masked(input), and = true)
    case call @ Call(BitOrAgg(input), _) => MergeBits(call.masked(input), and = false)
  }

  // One expression that is null where one of them is.
  private def counted(inputs: Seq[Expression]): Expression = inputs.filter(_.nullable) match {
    case Seq() => Literal(true)
    case Seq(one) => one
    case several =>
      If(
        several.map(IsNull(_): Expression).reduce(Or(_, _)),
        Literal(null, BooleanType),
        Literal(true)
      )
  }
}

private case object CountRows extends FunctionPlan {
  override def accumulator: String = "frame size"

  override def build(frame: FrameBuilder, ordinal: Int): Output = new Output {
    private val motion = frame.motion
    override def write(target: InternalRow): Unit =
      target.setLong(ordinal, motion.end - motion.start)
  }
}

private final case class CountValues(input: Expression) extends FunctionPlan {
  override def accumulator: String = "exact count"

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val count = frame.accumulator(("count", input.canonicalized)) {
      new CountPresent(frame.column(input))
    }
    new Output {
      override def write(target: InternalRow): Unit = target.setLong(ordinal, count.count)
    }
  }
}

/** Where the sums of a type come from. */
private object Sums {
  def exact(frame: FrameBuilder, input: Expression): ExactSum =
    frame.accumulator(("sum", input.canonicalized)) {
      new ExactSum(frame.column(input).asInstanceOf[DoubleColumn])
    }

  def integer(frame: FrameBuilder, input: Expression): IntegerSum =
    frame.accumulator(("sum", input.canonicalized)) {
      new IntegerSum(frame.column(input).asInstanceOf[LongColumn])
    }

  def decimal(frame: FrameBuilder, input: Expression): UnscaledSum =
    frame.column(input) match {
      case longs: LongColumn =>
        val sum = frame.accumulator(("sum", input.canonicalized))(new IntegerSum(longs))
        new UnscaledSum {
          override def count: Long = sum.count
          override def total: BigInteger = sum.bigInteger
        }
      case wide: Int128Column =>
        val sum = frame.accumulator(("sum", input.canonicalized))(new DecimalSum(wide))
        new UnscaledSum {
          override def count: Long = sum.count
          override def total: BigInteger = sum.bigInteger
        }
      case other: Column => throw new IllegalStateException(s"a decimal in ${other.getClass}")
    }
}

private abstract class UnscaledSum {
  def count: Long
  def total: BigInteger

  /** The sum as a decimal of this type, or null where it does not fit. */
  final def decimal(dataType: DecimalType): Decimal = {
    val value = new JBigDecimal(total, dataType.scale)
    if (value.precision > dataType.precision) null
    else Decimal(value, dataType.precision, dataType.scale)
  }
}

private final case class SumValues(sum: Sum, input: Expression) extends FunctionPlan {
  override def accumulator: String = sum.child.dataType match {
    case FloatType | DoubleType => "exact sum, correctly rounded"
    case _ => "exact sum"
  }

  override def build(frame: FrameBuilder, ordinal: Int): Output = sum.child.dataType match {
    case FloatType | DoubleType =>
      val exact = Sums.exact(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.sum
      }
    case _: DecimalType => decimals(Sums.decimal(frame, input), ordinal)
    case _: YearMonthIntervalType => integers(frame, ordinal, Int.MinValue, Int.MaxValue)
    case _ => integers(frame, ordinal, Long.MinValue, Long.MaxValue)
  }

  private def integers(frame: FrameBuilder, ordinal: Int, min: Long, max: Long): Output = {
    val exact = Sums.integer(frame, input)
    val writer = ValueType.longWriter(sum.dataType, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (exact.isEmpty) target.setNullAt(ordinal)
        else if (exact.fitsLong && exact.long >= min && exact.long <= max) {
          writer.write(exact.long, target)
        } else overflow(target)

      private def overflow(target: InternalRow): Unit = sum.evalContext.evalMode match {
        case EvalMode.TRY => target.setNullAt(ordinal)
        case EvalMode.LEGACY if sum.dataType == LongType => writer.write(exact.long, target)
        case _ => overflowed.eval(): Unit
      }
    }
  }

  // Spark's own addition of two values whose sum does not fit: it raises Spark's own error.
  private def overflowed: Expression = sum.dataType match {
    case ym: YearMonthIntervalType =>
      Add(Literal(Int.MaxValue, ym), Literal(1, ym), sum.evalContext)
    case other => Add(Literal(Long.MaxValue, other), Literal(1L, other), sum.evalContext)
  }

  private def decimals(exact: UnscaledSum, ordinal: Int): Output = {
    val result = sum.dataType.asInstanceOf[DecimalType]
    new Output {
      private lazy val finish = new SparkFinish(sum)
      override def write(target: InternalRow): Unit =
        if (exact.count == 0L) target.setNullAt(ordinal)
        else {
          val value = exact.decimal(result)
          // Too large: null, or an error, as Spark's own last step decides.
          if (value == null) target.update(ordinal, finish(null, false))
          else target.setDecimal(ordinal, value, result.precision)
        }
    }
  }
}

private final case class AverageValues(average: Average, input: Expression) extends FunctionPlan {
  override def accumulator: String = average.child.dataType match {
    case FloatType | DoubleType => "exact sum, correctly rounded quotient"
    case _ => "exact sum"
  }

  override def build(frame: FrameBuilder, ordinal: Int): Output = average.child.dataType match {
    case FloatType | DoubleType =>
      val exact = Sums.exact(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.mean
      }
    case _: DecimalType => decimals(Sums.decimal(frame, input), ordinal)
    case _: AnsiIntervalType =>
      val exact = Sums.integer(frame, input)
      val writer = ValueType.longWriter(average.dataType, ordinal)
      new Output {
        override def write(target: InternalRow): Unit =
          if (exact.isEmpty) target.setNullAt(ordinal)
          else writer.write(exact.divideHalfUp(exact.count), target)
      }
    case _ =>
      val exact = Sums.integer(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.mean
      }
  }

  private def decimals(exact: UnscaledSum, ordinal: Int): Output = {
    val result = average.dataType.asInstanceOf[DecimalType]
    val summed = average.sumDataType.asInstanceOf[DecimalType]
    new Output {
      private lazy val finish = new SparkFinish(average)

      override def write(target: InternalRow): Unit =
        if (exact.count == 0L) target.setNullAt(ordinal)
        else {
          val sum = exact.decimal(summed)
          val value = if (sum == null) quotient else finish(sum, exact.count).asInstanceOf[Decimal]
          if (value == null) target.update(ordinal, null)
          else target.setDecimal(ordinal, value, result.precision)
        }

      // The sum does not fit Spark's type of sums; the average of the values always fits theirs.
      private def quotient: Decimal = {
        val sum = new JBigDecimal(exact.total, summed.scale)
        val mean = sum.divide(JBigDecimal.valueOf(exact.count), result.scale, RoundingMode.HALF_UP)
        if (mean.precision > result.precision) finish(null, exact.count).asInstanceOf[Decimal]
        else Decimal(mean, result.precision, result.scale)
      }
    }
  }
}

private final case class XorBits(input: Expression) extends FunctionPlan {
  override def accumulator: String = "exact xor"

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val xor = frame.accumulator(("xor", input.canonicalized)) {
      new BitXor(frame.column(input).asInstanceOf[LongColumn])
    }
    val writer = ValueType.longWriter(input.dataType, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (xor.count == 0L) target.setNullAt(ordinal) else writer.write(xor.xor, target)
    }
  }
}

private final case class MergeBits(input: Expression, and: Boolean) extends FunctionPlan {
  override def accumulator: String = "two stacks of bits"

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val bits = frame.accumulator((if (and) "and" else "or", input.canonicalized)) {
      new BitMerge(frame.memory, frame.column(input).asInstanceOf[LongColumn], and)
    }
    val writer = ValueType.longWriter(input.dataType, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (bits.count == 0L) target.setNullAt(ordinal) else writer.write(bits.value, target)
    }
  }
}

package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{Output, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.sums.{
  BitCounts,
  BitMerge,
  BitXor,
  BitsOfPieces,
  BucketCounter,
  MergedBits,
  NonNullCount
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.expressions.{Completeness, Histogram}
import org.apache.spark.sql.types._

/**
 * Plans counts, sums, averages and bits: a row that leaves a frame is removed from the accumulator
 * without a trace.
 */
object ExactGroupPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case Call(Count(inputs), None) if !inputs.exists(_.nullable) => CountRows
    case call @ Call(Count(inputs), _) => CountValues(call.masked(counted(inputs)))
    case call @ Call(sum: Sum, _) if sum.child.dataType != NullType =>
      SumValues(sum, call.masked(sum.child))
    case call @ Call(average: Average, _) if average.child.dataType != NullType =>
      AverageValues(average, call.masked(average.child))
    case call @ Call(completeness: Completeness, _) =>
      val average = Average(completeness.presence)
      Share(AverageValues(average, call.masked(average.child)))
    case call @ Call(histogram: Histogram, _) =>
      Buckets(histogram, call.masked(histogram.bucket))
    case call @ Call(BitXorAgg(input), _) => XorBits(call.masked(input))
    case call @ Call(BitAndAgg(input), _) => MergeBits(call.masked(input), and = true)
    case call @ Call(BitOrAgg(input), _) => MergeBits(call.masked(input), and = false)
  }

  // Returns one expression that is null if one of the inputs is.
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

private case object CountRows extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Abilities.stateless("frame size"))

  override def build(frame: FrameBuilder, ordinal: Int): Output = new Output {
    private val motion = frame.motion
    override def write(target: InternalRow): Unit =
      target.setLong(ordinal, motion.size)
  }
}

private final case class CountValues(input: Expression) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(NonNullCount.abilities)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val count = frame.accumulator(("count", input.canonicalized)) {
      new NonNullCount(frame.column(input))
    }
    new Output {
      override def write(target: InternalRow): Unit = target.setLong(ordinal, count.count)
    }
  }
}

/** completeness. It counts nulls, which a tally of distinct values does not have. */
private final case class Share(average: AverageValues) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    average.abilitiesIn(frame).map(_.withName("exact share"))

  override def build(frame: FrameBuilder, ordinal: Int): Output = average.build(frame, ordinal)
}

private final case class Buckets(histogram: Histogram, bucket: Expression)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(BucketCounter.abilities)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val counter = frame.accumulator(("buckets", bucket.canonicalized)) {
      val buckets = frame.column(bucket).asInstanceOf[LongColumn]
      new BucketCounter(frame.memory, buckets, histogram.buckets)
    }
    new AggregateOutput(() => (), histogram.eval(counter.counts), histogram, ordinal)
  }
}

private final case class XorBits(input: Expression) extends AggregatePlan {
  override def takesByValue: Boolean = true

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(BitXor.abilities)

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

private final case class MergeBits(input: Expression, and: Boolean) extends AggregatePlan {
  // Counts cost twice as much as stacks if the oldest rows leave.
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(
    if (frame.isScattered || !frame.evicts) BitCounts.abilities
    else if (frame.hasHoles) BitMerge.abilities.byPiece
    else BitMerge.abilities
  )

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val key = (if (and) "and" else "or", input.canonicalized)
    val column = frame.column(input).asInstanceOf[LongColumn]
    val bits: MergedBits =
      if (frame.slots.isDefined || !frame.evicts) {
        frame.accumulator(key)(new BitCounts(column, and, frame.evicts))
      } else {
        frame.accumulatorOfPieces[MergedBits, BitMerge](key)(_ =>
          new BitMerge(frame.memory, column, and)
        )(new BitsOfPieces(_, and))
      }
    val writer = ValueType.longWriter(input.dataType, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (bits.count == 0L) target.setNullAt(ordinal) else writer.write(bits.value, target)
    }
  }
}

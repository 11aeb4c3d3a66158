package org.apache.spark.sql.muntin.execution.overlaps

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.sort.SortWord

/**
 * The interval of one side's current row: whether it exists, which interval begins first, and
 * whether an open row's interval has ended. If starts and ends are numbers of 64 bits or less, they
 * are compared as numbers; others, such as texts, with Spark's generated code.
 */
private[overlaps] abstract class SideIntervals {

  /** Moves to the interval of a row. */
  def moveTo(row: UnsafeRow): Unit

  /** Returns true if the interval has a start, and is not empty. */
  def isThere: Boolean

  /** Returns the end of the interval, for the open rows. */
  def end: Long

  /** Returns true if the end is null: the interval has no end. */
  def isEndless: Boolean

  /** Returns true if the interval begins no later than the other side's interval. */
  def beginsNoLater(other: SideIntervals): Boolean

  /** Returns true if an open row of the other side has ended where this interval begins. */
  def begins(open: OpenRows, i: Int): Boolean

  /** Returns true if an open row of the same side has ended where this interval begins. */
  def beginsAfterOwn(open: OpenRows, i: Int): Boolean
}

private[overlaps] object SideIntervals {
  def apply(side: OverlapSide, other: OverlapSide): SideIntervals = {
    val times = new TimesOf(side)
    (times.word(0), times.word(1)) match {
      case (Some(start), Some(end)) => new Words(times, start, end)
      case _ => new Generated(side, other)
    }
  }

  /** The row that both ends are in: the side's row, or, if they are computed, a separate row. */
  private final class TimesOf(side: OverlapSide) {
    private val ordinals = Seq(side.start, side.end).map {
      case a: Attribute => side.output.indexWhere(_.exprId == a.exprId)
      case _ => -1
    }
    private val isComputed = ordinals.contains(-1)
    private lazy val project = UnsafeProjection.create(Seq(side.start, side.end), side.output)

    def word(i: Int): Option[SortWord] =
      SortWord(if (isComputed) i else ordinals(i), side.start.dataType, descending = false)

    def apply(row: UnsafeRow): UnsafeRow = if (isComputed) project(row) else row
  }

  private final class Words(times: TimesOf, startOf: SortWord, endOf: SortWord)
      extends SideIntervals {
    private var start = 0L
    private var until = 0L
    private var hasStart = false
    private var hasEnd = false

    override def moveTo(row: UnsafeRow): Unit = {
      val of = times(row)
      hasStart = !of.isNullAt(startOf.ordinal)
      hasEnd = !of.isNullAt(endOf.ordinal)
      if (hasStart) start = startOf(of)
      if (hasEnd) until = endOf(of)
    }

    override def isThere: Boolean =
      hasStart && (!hasEnd || java.lang.Long.compareUnsigned(start, until) < 0)

    override def end: Long = until

    override def isEndless: Boolean = !hasEnd

    // A null comes first, as in the sort.
    override def beginsNoLater(other: SideIntervals): Boolean = other match {
      case o: Words =>
        !hasStart || o.hasStart && java.lang.Long.compareUnsigned(start, o.start) <= 0
      case _ => throw new IllegalStateException("times of two types")
    }

    override def begins(open: OpenRows, i: Int): Boolean =
      !open.isEndless(i) && java.lang.Long.compareUnsigned(open.end(i), start) <= 0

    override def beginsAfterOwn(open: OpenRows, i: Int): Boolean = begins(open, i)
  }

  private final class Generated(side: OverlapSide, other: OverlapSide)
      extends SideIntervals {
    private val startOfOwn = UnsafeProjection.create(Seq(side.start), side.output)
    private val starts = RowOrdering.createNaturalAscendingOrdering(Seq(side.start.dataType))
    private val both = new JoinedRow
    private val there = Predicate.create(
      And(IsNotNull(side.start), Or(IsNull(side.end), LessThan(side.start, side.end))),
      side.output
    )
    // For an interval without an end the comparison is null.
    private val endedOfOther =
      Predicate.create(LessThanOrEqual(other.end, side.start), other.output ++ side.output)
    private val endedOfOwn = {
      val earlier = side.output.map(_.newInstance())
      val of = AttributeMap(side.output.zip(earlier))
      val end = side.end.transform { case a: Attribute => of.getOrElse(a, a) }
      Predicate.create(LessThanOrEqual(end, side.start), earlier ++ side.output)
    }
    private var row: UnsafeRow = _

    private def start: UnsafeRow = startOfOwn(row)

    override def moveTo(next: UnsafeRow): Unit = row = next

    override def isThere: Boolean = there.eval(row)

    override def end: Long = 0L

    override def isEndless: Boolean = false

    override def beginsNoLater(other: SideIntervals): Boolean = other match {
      case o: Generated => starts.compare(start, o.start) <= 0
      case _ => throw new IllegalStateException("times of two types")
    }

    override def begins(open: OpenRows, i: Int): Boolean = endedOfOther.eval(both(open(i), row))

    override def beginsAfterOwn(open: OpenRows, i: Int): Boolean =
      endedOfOwn.eval(both(open(i), row))
  }
}

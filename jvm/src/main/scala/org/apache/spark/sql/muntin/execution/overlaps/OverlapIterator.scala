package org.apache.spark.sql.muntin.execution.overlaps

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, ResultIterator, TaskMemory}
import org.apache.spark.sql.types.DataType

/**
 * The pairs of rows with overlapping intervals, in one pass over both sides, which are sorted by
 * their keys and the starts of their intervals. Of two intervals that overlap one begins while the
 * other is open, so each pair is found once, by the row that comes later.
 *
 *     left     a [0, 10)          c [6, 8)
 *     right              b [5, 7)          d [9, 12)
 *     comes    a         b        c        d
 *     open     a         a b      a b c    a d           b and c have ended at 9
 *     pairs              a b      c b      a d
 *
 * Rows that are open on either side are in memory; those that have ended go when a row of the other
 * side meets them, or when twice as many are there.
 *
 * Cost: one look at each open row of the other side, which is a pair or goes.
 */
private[overlaps] final class OverlapIterator(
    leftRows: Iterator[InternalRow],
    rightRows: Iterator[InternalRow],
    plan: OverlapPlan,
    metrics: OperatorMetrics
) extends ResultIterator(metrics.outputRows, Some(metrics.duration)) {
  private val memory = new TaskMemory(context.taskMemoryManager())
  context.addTaskCompletionListener[Unit] { _ =>
    metrics.add(memory.peakBytes, 0L)
    memory.releaseAll()
  }

  private val left = new Side(plan.left, leftRows, isLeft = true)
  private val right = new Side(plan.right, rightRows, isLeft = false)

  private val joined = new JoinedRow
  private val project = {
    val both = (plan.left.output ++ plan.right.output).map(_.withNullability(true))
    UnsafeProjection.create(both, both)
  }
  private val condition =
    plan.condition.map(Predicate.create(_, plan.left.output ++ plan.right.output))

  private val keyTypes = plan.left.keys.map(_.dataType)
  private val byKeys = ordering(keyTypes)
  private val byStart = ordering(keyTypes :+ plan.left.start.dataType)

  private def ordering(types: Seq[DataType]): BaseOrdering =
    RowOrdering.create(
      types.zipWithIndex.map { case (t, i) =>
        SortOrder(BoundReference(i, t, nullable = true), Ascending)
      },
      Nil
    )

  // Rows without a pair, until they come out.
  private val unmatched = new ArrayDeque[UnsafeRow]
  // The row that has come, and how many open rows of the other side it has met.
  private var own: Side = _
  private var other: Side = _
  private var met = 0
  private var isMatched = false
  private var group: UnsafeRow = _

  left.advance()
  right.advance()

  override protected def findNext(): InternalRow = {
    while (true) {
      val found =
        if (!unmatched.isEmpty) unmatched.poll()
        else if (own != null) meet()
        else if (takeNext()) null
        else if (unmatched.isEmpty) return null
        else unmatched.poll()
      if (found != null) return found
    }
    null
  }

  /** Takes the next row of both sides; false where there is none. */
  private def takeNext(): Boolean = {
    val isThere = left.row != null || right.row != null
    if (!isThere) endGroup()
    else {
      own =
        if (right.row == null) left
        else if (left.row == null) right
        else if (byStart.compare(left.sorted, right.sorted) <= 0) left
        else right
      other = if (own eq left) right else left
      if (group == null || byKeys.compare(group, own.sorted) != 0) {
        endGroup()
        group = own.sorted.copy()
      }
      met = if (own.mayMatch) 0 else other.open.size
      isMatched = false
    }
    isThere
  }

  /** Meets the next open row of the other side; the pair, if it comes out. */
  private def meet(): InternalRow = {
    val open = other.open
    if (met >= open.size) {
      finish()
      null
    } else if (other.hasEnded(open(met), own.row)) {
      drop(other, met)
      null
    } else {
      val (l, r) = if (own.isLeft) (own.row, open(met)) else (open(met), own.row)
      if (condition.exists(!_.eval(joined(l, r)))) {
        met += 1
        null
      } else pair(l, r)
    }
  }

  private def pair(l: UnsafeRow, r: UnsafeRow): InternalRow =
    if (!plan.isExistence) {
      isMatched = true
      other.open.setMatched(met)
      met += 1
      project(joined(l, r))
    } else {
      // A row of the left side that has a pair comes out or not, and is done with.
      val found = if (plan.keeps(ofLeft = true)) null else l
      if (own.isLeft) {
        isMatched = true
        met = other.open.size
      } else other.open.remove(met)
      found
    }

  /** The row that has come has met all open rows: it is open, if a later row could meet it. */
  private def finish(): Unit = {
    val isNeeded = own.mayMatch && other.mayCome(group) &&
      !(plan.isExistence && own.isLeft && isMatched)
    if (isNeeded) {
      own.open.add(own.row, isMatched)
      if (own.open.size >= own.mostOpen) prune(own)
    } else if (!isMatched) leave(own, own.row)
    own.advance()
    own = null
  }

  /** Drops the rows of a side that have ended where the row that has come begins. */
  private def prune(side: Side): Unit = {
    var i = 0
    while (i < side.open.size)
      if (side.hasEndedBefore(side.open(i), side.row)) drop(side, i) else i += 1
    side.mostOpen = math.max(Side.LeastOpen, 2 * side.open.size)
  }

  private def drop(side: Side, i: Int): Unit = {
    if (!side.open.isMatched(i)) leave(side, side.open(i))
    side.open.remove(i)
  }

  private def endGroup(): Unit = Seq(left, right).foreach { side =>
    while (side.open.size > 0) drop(side, side.open.size - 1)
  }

  /** A row has no pair. */
  private def leave(side: Side, row: UnsafeRow): Unit =
    if (plan.keeps(side.isLeft)) {
      val result =
        if (plan.isExistence) row
        else if (side.isLeft) project(joined(row, right.nothing))
        else project(joined(left.nothing, row))
      unmatched.add(result.copy()): Unit
    }

  private object Side {
    val LeastOpen = 256
  }

  private final class Side(side: OverlapSide, rows: Iterator[InternalRow], val isLeft: Boolean) {
    private val another = if (isLeft) plan.right else plan.left
    private val toSorted = UnsafeProjection.create(side.keys :+ side.start, side.output)
    private val matching = Predicate.create(side.mayMatch, side.output)
    private val both = new JoinedRow
    private val ended =
      Predicate.create(LessThanOrEqual(side.end, another.start), side.output ++ another.output)
    private val endedBefore = {
      val later = side.output.map(_.newInstance())
      val of = AttributeMap(side.output.zip(later))
      val start = side.start.transform { case a: Attribute => of.getOrElse(a, a) }
      Predicate.create(LessThanOrEqual(side.end, start), side.output ++ later)
    }
    private var read = 0

    val open = new OpenRows(memory)
    var mostOpen: Int = Side.LeastOpen

    /** A row of nulls. */
    val nothing: InternalRow = new GenericInternalRow(side.output.size)

    /** The row that comes next; null behind the last. */
    var row: UnsafeRow = _

    /** Its keys and its start. */
    var sorted: UnsafeRow = _
    var mayMatch: Boolean = false

    def advance(): Unit = {
      if ((read & 0x3ff) == 0) context.killTaskIfInterrupted()
      read += 1
      row = if (rows.hasNext) rows.next().asInstanceOf[UnsafeRow] else null
      if (row != null) {
        sorted = toSorted(row)
        mayMatch = matching.eval(row)
      }
    }

    /** Whether the interval of a row of this side ends where a row of the other side begins. */
    def hasEnded(open: UnsafeRow, row: UnsafeRow): Boolean = ended.eval(both(open, row))

    /** The same where a row of this side begins. */
    def hasEndedBefore(open: UnsafeRow, row: UnsafeRow): Boolean = endedBefore.eval(both(open, row))

    /** Whether another row of the group comes. */
    def mayCome(group: UnsafeRow): Boolean = row != null && byKeys.compare(group, sorted) == 0
  }
}

package org.apache.spark.sql.muntin.execution.overlaps

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.muntin.execution.rows.{
  KeyedRows,
  OperatorMetrics,
  ResultIterator,
  TaskMemory
}

/**
 * Emits the pairs of rows with overlapping intervals, in one pass over both sides, which are sorted
 * by their keys and the starts of their intervals. If two intervals overlap, one begins while the
 * other is open, so each pair is found once, by the later row.
 *
 *     left     a [0, 10)          c [6, 8)
 *     right              b [5, 7)          d [9, 12)
 *     next     a         b        c        d
 *     open     a         a b      a b c    a d           b and c have ended at 9
 *     pairs              a b      c b      a d
 *
 * Rows that are open on either side are in memory. Ended rows are evicted when a row of the other
 * side is compared with them, or when twice as many rows are open.
 *
 * Cost: one check of each open row of the other side, which is a pair or is evicted.
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

  private val left = new Side(plan.left, plan.right, leftRows, isLeft = true)
  private val right = new Side(plan.right, plan.left, rightRows, isLeft = false)

  private val joiner = GenerateUnsafeRowJoiner.create(
    DataTypeUtils.fromAttributes(plan.left.output),
    DataTypeUtils.fromAttributes(plan.right.output)
  )
  private val joined = new JoinedRow
  private val condition =
    plan.condition.map(Predicate.create(_, plan.left.output ++ plan.right.output)).orNull

  private val keyOrder = RowOrdering.createNaturalAscendingOrdering(plan.left.keys.map(_.dataType))

  // Rows without a pair, until they are emitted.
  private val unmatched = new ArrayDeque[UnsafeRow]
  // The current row, and the number of open rows of the other side compared with it.
  private var own: Side = _
  private var other: Side = _
  private var met = 0
  private var isMatched = false

  left.advance()
  right.advance()
  startGroup()

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

  /** Takes the next row of both sides. Returns false if there is none. */
  private def takeNext(): Boolean = {
    if (!left.isIn && !right.isIn) {
      endGroup()
      startGroup()
    }
    val isThere = left.isIn || right.isIn
    if (isThere) {
      own =
        if (!right.isIn) left
        else if (!left.isIn) right
        else if (left.interval.beginsNoLater(right.interval)) left
        else right
      other = if (own eq left) right else left
      met = if (own.mayMatch) 0 else other.open.size
      isMatched = false
    }
    isThere
  }

  /**
   * Compares the current row with the next open row of the other side. Returns the pair, if it must
   * be emitted.
   */
  private def meet(): InternalRow = {
    val open = other.open
    if (met >= open.size) {
      finish()
      null
    } else if (own.interval.begins(open, met)) {
      drop(other, met)
      null
    } else {
      val (l, r) = if (own.isLeft) (own.row, open(met)) else (open(met), own.row)
      if (condition != null && !condition.eval(joined(l, r))) {
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
      joiner.join(l, r)
    } else {
      // A row of the left side that has a pair is emitted or not, and is then done.
      val found = if (plan.keeps(ofLeft = true)) null else l
      if (own.isLeft) {
        isMatched = true
        met = other.open.size
      } else other.open.remove(met)
      found
    }

  /**
   * Completes the current row, which has been compared with all open rows: it becomes open, if a
   * later row could overlap it.
   */
  private def finish(): Unit = {
    val isNeeded = own.mayMatch && other.isIn && !(plan.isExistence && own.isLeft && isMatched)
    if (isNeeded) {
      own.open.add(own.row, own.interval.end, own.interval.isEndless, isMatched)
      if (own.open.size >= own.mostOpen) prune(own)
    } else if (!isMatched) leave(own, own.row)
    own.advance()
    own = null
  }

  /** Drops the rows of a side that have ended before the current row begins. */
  private def prune(side: Side): Unit = {
    var i = 0
    while (i < side.open.size)
      if (side.interval.beginsAfterOwn(side.open, i)) drop(side, i) else i += 1
    side.mostOpen = math.max(Side.LeastOpen, 2 * side.open.size)
  }

  private def drop(side: Side, i: Int): Unit = {
    if (!side.open.isMatched(i)) leave(side, side.open(i))
    side.open.remove(i)
  }

  /** Both sides are past the rows of a key: the lesser of their next keys is the next. */
  private def startGroup(): Unit = {
    val order =
      if (left.row == null) 1
      else if (right.row == null) -1
      else keyOrder.compare(left.key, right.key)
    left.isIn = left.row != null && order <= 0
    right.isIn = right.row != null && order >= 0
  }

  private def endGroup(): Unit = {
    endGroup(left)
    endGroup(right)
  }

  private def endGroup(side: Side): Unit =
    while (side.open.size > 0) drop(side, side.open.size - 1)

  /** Handles a row without a pair. */
  private def leave(side: Side, row: UnsafeRow): Unit =
    if (plan.keeps(side.isLeft)) {
      val result =
        if (plan.isExistence) row
        else if (side.isLeft) joiner.join(row, right.nothing)
        else joiner.join(left.nothing, row)
      unmatched.add(result.copy()): Unit
    }

  private object Side {
    val LeastOpen = 256
  }

  private final class Side(
      side: OverlapSide,
      another: OverlapSide,
      sorted: Iterator[InternalRow],
      val isLeft: Boolean
  ) {
    private val rows = new KeyedRows(sorted, side.keys, side.output)
    private var hasKey = false

    val interval: SideIntervals = SideIntervals(side, another)
    val open = new OpenRows(memory)
    var mostOpen: Int = Side.LeastOpen

    /** True if the next row has the current keys of both sides. */
    var isIn: Boolean = false

    /** A row of nulls. */
    val nothing: UnsafeRow = UnsafeProjection
      .create(side.output.map(a => Literal(null, a.dataType)))
      .apply(InternalRow.empty)

    /** Returns the next row; null after the last. */
    def row: UnsafeRow = rows.row

    def key: UnsafeRow = rows.key

    /** Returns true if the next row can have a pair. */
    def mayMatch: Boolean = hasKey && interval.isThere

    def advance(): Unit = {
      rows.next()
      if (rows.isFirst) hasKey = !rows.key.anyNull
      isIn = isIn && rows.inGroup
      if (row != null) interval.moveTo(row)
    }
  }
}

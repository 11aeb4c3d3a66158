package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.plans.{Inner, LeftAnti, LeftExistence, LeftSemi}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, OperatorMetrics, ResultIterator}

/**
 * Joins the rows of both sides in one pass. Both are sorted by their keys and times, so the matched
 * row only moves forward.
 *
 *     left      3        5        9
 *     right   1   3   4    6    8     12      before, after
 *     3       the right side is at 4          3, 4
 *     5       at 6                            4, 6
 *     9       at 12                           8, 12
 *
 * It keeps the last row before the left row, and the current row of the right side. If a row at the
 * exact time does not match (`strict`), it also keeps such a row, which precedes the following left
 * rows.
 *
 * Cost: a comparison, and a copy of the bytes, for each row of the right side, and a comparison for
 * each row of the left side. Guarded by AsOfSuite.
 */
private[asof] final class AsOfIterator(
    left: KeyedRows,
    right: KeyedRows,
    plan: AsOfPlan,
    metrics: OperatorMetrics
) extends ResultIterator(metrics.outputRows, Some(metrics.duration)) {
  private val strict = plan.reach.strict
  private val takesBefore = plan.reach.takesBefore
  private val takesAfter = plan.reach.takesAfter

  private val keyOrder =
    RowOrdering.createNaturalAscendingOrdering(left.keys.map(_.dataType))
  private val times =
    AsOfTimes(plan.ofLeft.timeColumn, left.output, plan.ofRight.timeColumn, right.output)
  private val mayMatch = plan.mayMatch.map(Predicate.create(_, left.output)).orNull
  private val within =
    plan.within.map(Predicate.create(_, left.output ++ right.output)).orNull
  private val both = new JoinedRow
  private val nothing = UnsafeProjection
    .create(right.output.map(a => Literal(null, a.dataType)))
    .apply(InternalRow.empty)
  private val result: (UnsafeRow, UnsafeRow) => UnsafeRow = results()

  // True if the right side is at a row of the left row's keys.
  private var matched = false
  private var before = room()
  private var hasBefore = false
  // A row at the time of the last left row, if such a row does not match.
  private var peer = room()
  private var hasPeer = false
  private var hasBegun = false

  /** Returns a row that others can be copied to. */
  private def room(): UnsafeRow = UnsafeRow.createFromByteArray(64, right.output.size)

  /** Returns the function that builds the output of two rows. */
  private def results(): (UnsafeRow, UnsafeRow) => UnsafeRow = {
    // If a row has no match, the columns of the right side are null.
    val all = plan.joinType match {
      case LeftExistence(_) => left.output
      case Inner => left.output ++ right.output
      case _ => left.output ++ right.output.map(_.withNullability(true))
    }
    if (plan.columns.map(_.exprId) != all.map(_.exprId)) {
      val projection = UnsafeProjection.create(plan.columns, all)
      (row, found) => projection(both(row, found))
    } else plan.joinType match {
      case LeftExistence(_) => (row, _) => row
      case _ =>
        val joiner = GenerateUnsafeRowJoiner.create(
          DataTypeUtils.fromAttributes(left.output),
          DataTypeUtils.fromAttributes(right.output)
        )
        (row, found) => joiner.join(row, found)
    }
  }

  override protected def findNext(): InternalRow = {
    var answered: InternalRow = null
    while (answered == null && nextLeft()) answered = writeMatch(left.row)
    answered
  }

  // Only after the previous result has been consumed: the row may be reused.
  private def nextLeft(): Boolean = {
    left.next()
    if (!hasBegun) {
      // After the left side, whose reach determines the chunk of the right side.
      right.next()
      hasBegun = true
    }
    if (left.isFirst) startGroup()
    left.row != null
  }

  private def startGroup(): Unit = {
    if (right.inGroup) right.nextGroup()
    matched = false
    hasBefore = false
    hasPeer = false
    if (!left.key.anyNull) {
      var order = compareKeys
      while (order > 0) {
        right.nextGroup()
        order = compareKeys
      }
      matched = order == 0
    }
  }

  /**
   * Compares the left row's keys with the keys of the right side's current row; below 0 after its
   * last row.
   */
  private def compareKeys: Int =
    if (right.row == null) -1 else keyOrder.compare(left.key, right.key)

  /** Returns the left row with its matched row; null if it is not emitted. */
  private def writeMatch(row: UnsafeRow): InternalRow = {
    val found = if (mayMatch == null || mayMatch.eval(row)) find(row) else null
    plan.joinType match {
      case LeftSemi => if (found == null) null else result(row, nothing)
      case LeftAnti => if (found == null) result(row, nothing) else null
      case Inner => if (found == null) null else result(row, found)
      case _ => result(row, if (found == null) nothing else found)
    }
  }

  private def find(row: UnsafeRow): UnsafeRow = {
    if (hasPeer && times.compare(row, peer) > 0) {
      val last = before
      before = peer
      hasBefore = true
      peer = last
      hasPeer = false
    }
    moveTo(row)
    val ofBefore = if (takesBefore && hasBefore && isWithin(row, before)) before else null
    val ofAfter = if (takesAfter && matched && isWithin(row, right.row)) right.row else null
    if (ofBefore == null) ofAfter
    else if (ofAfter == null || times.isBeforeAsNear(ofBefore, row, ofAfter)) ofBefore
    else ofAfter
  }

  /** Moves the right side past the rows before the row, or, if necessary, at it. */
  private def moveTo(row: UnsafeRow): Unit = {
    var order = if (matched) times.compare(row, right.row) else -1
    while (order > 0 || order == 0 && (strict || takesBefore)) {
      if (takesBefore) {
        if (order == 0 && strict) {
          peer.copyFrom(right.row)
          hasPeer = true
        } else {
          before.copyFrom(right.row)
          hasBefore = true
        }
      }
      right.next()
      matched = right.inGroup
      order = if (matched) times.compare(row, right.row) else -1
    }
  }

  private def isWithin(row: UnsafeRow, found: UnsafeRow): Boolean =
    within == null || within.eval(both(row, found))
}

package org.apache.spark.sql.muntin.execution.functions

import scala.reflect.ClassTag

import org.apache.spark.sql.muntin.execution.rows.{Output, RowsWhere}
import io.muntin.kernel.{Abilities, Accumulator, AcrossFrames}
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.SharedBlocks
import io.muntin.kernel.motions.Motion
import io.muntin.kernel.ranks.Ranking
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.types.DataType

/**
 * The plan of one window function: which accumulators it runs on, and how a task makes them.
 * Serializable; its expressions are over the child's rows.
 */
trait FunctionPlan extends Serializable {

  /** Returns the abilities of its accumulators in such a frame, with their names for EXPLAIN. */
  def abilitiesIn(frame: FrameKind): Seq[Abilities]

  /**
   * Returns true if it evaluates each window from the start, for windows that move back and forth.
   */
  final def isNonMonotonic: Boolean = abilitiesIn(FrameKind.NonMonotonic).forall(_.isNonMonotonic)

  /** Returns true if it needs the ranks of the rows in their partition. */
  def isRanked: Boolean = false

  /**
   * Returns true if its accumulators add values in any order, and remove them by value, independent
   * of the row: so each distinct value can be added once.
   */
  def takesByValue: Boolean = false

  /** Returns the last rows of some kind, if only these rows matter in a frame that only grows. */
  def tail: Option[RowsWhere] = None

  /**
   * Returns the types of the columns that an accumulator saves as an UnsafeRow; empty if no
   * accumulator does.
   */
  def savedTypes: Seq[DataType] = Nil

  /** Makes the function's part of a row's frame; its result goes to field `ordinal`. */
  def buildForRow(frame: RowFrameBuilder, ordinal: Int): Output
}

/** A window function that runs in any frame, also in windows that do not belong to a row. */
trait AggregatePlan extends FunctionPlan {

  /** Makes the function's part of a frame; its result goes to field `ordinal`. */
  def build(frame: FrameBuilder, ordinal: Int): Output

  final override def buildForRow(frame: RowFrameBuilder, ordinal: Int): Output =
    build(frame, ordinal)
}

/**
 * Provides a function with the means to create its accumulators in a task: shared columns and
 * accumulators, and the frame.
 */
trait FrameBuilder {
  def memory: Memory
  def motion: Motion

  /**
   * Returns the column of an expression: one for each expression of an operator, shared by all
   * functions that read it.
   */
  def column(expression: Expression): Column

  /** Returns the column as objects of any type: for keys that only Spark can add to. */
  def objectColumn(expression: Expression): Column

  /**
   * Returns an accumulator of this frame: one for each key, shared by all functions that read it.
   */
  def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A

  /** Returns any other object that functions of this frame share under a key. */
  def shared[A <: AnyRef](key: AnyRef)(make: => A): A

  /**
   * Returns the contiguous pieces of the frame, in their order: the frame itself, if it has no
   * holes.
   */
  def pieces: Seq[FrameBuilder] = Seq(this)

  /**
   * Returns an accumulator of rows that enter at the end and leave at the front. If the frame has
   * holes, each piece has an accumulator, and `join` combines their results.
   */
  final def accumulatorOfPieces[A <: Accumulator, P <: A: ClassTag](key: AnyRef)(
      make: FrameBuilder => A
  )(join: Array[P] => A): A = {
    val made = pieces.map(piece => piece.accumulator(key)(make(piece)))
    if (made.size == 1) made.head
    else shared(("pieces", key))(join(made.map(_.asInstanceOf[P]).toArray))
  }

  /**
   * Returns true if rows enter and leave in the middle: `accumulator` then needs accumulators that
   * accept rows in any order.
   */
  def hasHoles: Boolean = false

  /**
   * Returns true if rows leave, and every frame may contain rows of another task that follow all
   * rows that enter: `accumulator` then prefers accumulators that are `Followed`.
   */
  def isFollowed: Boolean = false

  /**
   * Returns true if windows move back and forth, and all accumulators evaluate each window from the
   * start: `accumulator` then needs accumulators that are `NonMonotonic`, or `Prefixed`.
   */
  final def isNonMonotonic: Boolean = motion.isNonMonotonic

  /** Lets the motion, or the evaluator of non-monotonic windows, drive the accumulator. */
  protected final def drive(accumulator: Accumulator): Unit =
    if (isNonMonotonic) motion.drive(NonMonotonicAccumulator(accumulator, this))
    else motion.drive(accumulator)

  /**
   * If rows leave in any order: returns their slots. Positions are then slots, columns have slots,
   * and `accumulator` needs accumulators that accept rows in any order.
   */
  def slots: Option[Slots] = None

  /**
   * If there are many frames over the same rows: returns the blocks that they share under a key.
   * None for few frames, which are faster with blocks of their own.
   */
  def blocks[F <: AnyRef](key: AnyRef)(make: Column.Reader => SharedBlocks[F])
      : Option[SharedBlocks[F]] =
    None

  /**
   * Returns the state that the frame shares, under a key, with other frames that end at the same
   * row; None if there is no such frame.
   */
  def across[A <: AcrossFrames](key: AnyRef)(make: => A): Option[A] = None

  final def evicts: Boolean = motion.evicts
}

/** Builds the frame of each row in turn. */
trait RowFrameBuilder extends FrameBuilder {
  def ranking: Ranking

  /** Returns the numbers of the rows' peers in an order, from 0. */
  def peers(order: Seq[SortOrder]): LongColumn

  /** Returns the column of an expression that is read only for the current row. */
  def currentColumn(expression: Expression): Column

  /**
   * Returns, for each row, how many rows of the partition are in the motion's windows up to and
   * including the row; None if all rows are.
   */
  def counted: Option[LongColumn]

  /** Returns the current row's position. */
  def currentRow: Long
}

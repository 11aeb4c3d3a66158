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

/**
 * One window function as planning has it: which accumulators it runs on, and how a task makes them.
 * Serializable; its expressions are over the child's rows.
 */
trait FunctionPlan extends Serializable {

  /** What its accumulators can do in such a frame, and their names for EXPLAIN. */
  def on(frame: FrameKind): Seq[Abilities]

  /** Whether it finds each window anew, where windows go back and forth. */
  final def leaps: Boolean = on(FrameKind.Leaping).forall(_.leaps)

  /** Whether it needs the ranks of the rows in their partition. */
  def isRanked: Boolean = false

  /**
   * Whether its accumulators take values in any order, and take them out by value, whichever row
   * has the value: so they can get each distinct value once.
   */
  def takesByValue: Boolean = false

  /** The last rows of some kind, where the frame only grows and only these rows count. */
  def tail: Option[RowsWhere] = None

  /** Makes the function's part of a frame of a row; its result goes to field `ordinal`. */
  def ofRow(frame: RowFrameBuilder, ordinal: Int): Output
}

/** A window function that runs in any frame, also in windows that belong to no row. */
trait AggregatePlan extends FunctionPlan {

  /** Makes the function's part of a frame; its result goes to field `ordinal`. */
  def build(frame: FrameBuilder, ordinal: Int): Output

  final override def ofRow(frame: RowFrameBuilder, ordinal: Int): Output = build(frame, ordinal)
}

/**
 * What a function needs to make its accumulators in a task: shared columns and accumulators, the
 * frame.
 */
trait FrameBuilder {
  def memory: Memory
  def motion: Motion

  /**
   * The column of an expression: one for each expression of an operator, for all functions that
   * read it.
   */
  def column(expression: Expression): Column

  /** The same, as objects of any type: for keys that only Spark can add to. */
  def objectColumn(expression: Expression): Column

  /** An accumulator of this frame: one for each key, for all functions that read it. */
  def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A

  /** Any other object that functions of this frame share under a key. */
  def shared[A <: AnyRef](key: AnyRef)(make: => A): A

  /**
   * The contiguous pieces of the frame, in their order: the frame itself, where it has no holes.
   */
  def pieces: Seq[FrameBuilder] = Seq(this)

  /**
   * An accumulator of rows that enter at the end and leave at the front. Where the frame has holes:
   * one accumulator for each piece, and `join` makes the result from them.
   */
  final def accumulatorOfPieces[A <: Accumulator, P <: A: ClassTag](key: AnyRef)(
      make: FrameBuilder => A
  )(join: Array[P] => A): A = {
    val made = pieces.map(piece => piece.accumulator(key)(make(piece)))
    if (made.size == 1) made.head
    else shared(("pieces", key))(join(made.map(_.asInstanceOf[P]).toArray))
  }

  /**
   * Whether rows enter and leave in the middle: `accumulator` then needs accumulators that take
   * rows in any order.
   */
  def hasHoles: Boolean = false

  /**
   * Whether rows leave, and rows of another task, behind all rows that enter, may be in every
   * frame: `accumulator` then prefers accumulators that are `Followed`.
   */
  def isFollowed: Boolean = false

  /**
   * Whether windows go back and forth, and all accumulators find each window anew: `accumulator`
   * then needs accumulators that are `Leaping`, or `Prefixed`.
   */
  final def leaps: Boolean = motion.leaps

  /** The motion drives the accumulator, or what finds the accumulator's windows anew. */
  protected final def drive(accumulator: Accumulator): Unit =
    if (leaps) motion.drive(LeapingAccumulator(accumulator, this)) else motion.drive(accumulator)

  /**
   * Where rows leave in any order: the slots that they lie in. Positions are slots then, columns
   * have slots, and `accumulator` needs accumulators that take rows in any order.
   */
  def slots: Option[Slots] = None

  /**
   * Where there are many frames over the same rows: the blocks that they share under a key. None
   * for few frames, which are faster with blocks of their own.
   */
  def blocks[F <: AnyRef](key: AnyRef)(make: Column.Reader => SharedBlocks[F])
      : Option[SharedBlocks[F]] =
    None

  /**
   * What the frame shares, under a key, with other frames that end at the same row; None where
   * there is no such frame.
   */
  def across[A <: AcrossFrames](key: AnyRef)(make: => A): Option[A] = None

  final def evicts: Boolean = motion.evicts
}

/** The frame of each row in turn. */
trait RowFrameBuilder extends FrameBuilder {
  def ranking: Ranking

  /** The numbers of the rows' peers in an order, from 0. */
  def peers(order: Seq[SortOrder]): LongColumn

  /** The column of an expression that is read only for the current row. */
  def currentColumn(expression: Expression): Column

  /**
   * For each row, how many rows of the partition are in the motion's windows up to and including
   * the row; None where all rows are.
   */
  def counted: Option[LongColumn]

  /** The current row's position. */
  def currentRow: Long
}

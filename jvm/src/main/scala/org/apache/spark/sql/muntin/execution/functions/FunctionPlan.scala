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
 * One window function as planning understands it: which accumulators it runs on, and how they are
 * made in a task. Serializable; holds expressions over the child's rows.
 */
trait FunctionPlan extends Serializable {

  /** What it runs on in such a frame: what its accumulators can do, and their names for EXPLAIN. */
  def on(frame: FrameKind): Seq[Abilities]

  /** Whether it needs the ranks of the rows in their partition. */
  def isRanked: Boolean = false

  /**
   * Whether its accumulators take values in any order, and out again by value, whichever row has
   * it: so they can be given each distinct value once.
   */
  def takesByValue: Boolean = false

  /** Where its frame only grows and the last rows of some kind alone count: these. */
  def tail: Option[RowsWhere] = None

  /** Makes the function's part of a frame of a row; its result goes to field `ordinal`. */
  def ofRow(frame: RowFrameBuilder, ordinal: Int): Output
}

/** A window function that runs in any frame, also of windows that have no row of their own. */
trait AggregatePlan extends FunctionPlan {

  /** Makes the function's part of a frame; its result goes to field `ordinal`. */
  def build(frame: FrameBuilder, ordinal: Int): Output

  final override def ofRow(frame: RowFrameBuilder, ordinal: Int): Output = build(frame, ordinal)
}

/** What a function's parts are made of, in a task: shared columns, the frame, accumulators. */
trait FrameBuilder {
  def memory: Memory
  def motion: Motion

  /** The column of an expression: one per expression and operator, however many ask for it. */
  def column(expression: Expression): Column

  /** The same for keys that only Spark can add to: as objects, whatever their type. */
  def objectColumn(expression: Expression): Column

  /** An accumulator of this frame: one per key, however many functions read it. */
  def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A

  /** Anything else that the functions of this frame share by a key. */
  def shared[A <: AnyRef](key: AnyRef)(make: => A): A

  /** The contiguous pieces of the frame, in order: itself, where it has no holes. */
  def pieces: Seq[FrameBuilder] = Seq(this)

  /**
   * An accumulator of rows that come at the end and go at the front: where the frame has holes, one
   * for each piece, and `join` answers from them.
   */
  final def accumulatorOfPieces[A <: Accumulator, P <: A: ClassTag](key: AnyRef)(
      make: FrameBuilder => A
  )(join: Array[P] => A): A = {
    val made = pieces.map(piece => piece.accumulator(key)(make(piece)))
    if (made.size == 1) made.head
    else shared(("pieces", key))(join(made.map(_.asInstanceOf[P]).toArray))
  }

  /**
   * Whether rows come and go in the middle: `accumulator` is for those that take them in any order.
   */
  def hasHoles: Boolean = false

  /**
   * Whether rows behind all that enter may be in every frame, where rows leave: those that are in
   * another task. `accumulator` should be for `Followed` ones, where there are such.
   */
  def isFollowed: Boolean = false

  /**
   * Where rows leave in another order than that in which they came: the slots in which they lie.
   * Positions are slots then, columns are those of the slots, and `accumulator` is for those of any
   * order.
   */
  def slots: Option[Slots] = None

  /**
   * Where there are many frames over the same rows: the blocks that they share by a key. None where
   * there are few, which are quicker with their own.
   */
  def blocks[F <: AnyRef](key: AnyRef)(make: Column.Reader => SharedBlocks[F])
      : Option[SharedBlocks[F]] =
    None

  /**
   * What it shares by a key with the other frames that end at the same row as it does; None where
   * there is none.
   */
  def across[A <: AcrossFrames](key: AnyRef)(make: => A): Option[A] = None

  final def evicts: Boolean = motion.evicts
}

/** The frame of each row in turn. */
trait RowFrameBuilder extends FrameBuilder {
  def ranking: Ranking

  /** The numbers of the rows' peers under an order, from 0. */
  def peers(order: Seq[SortOrder]): LongColumn

  /** The column of an expression of which only the current row's value is read. */
  def currentColumn(expression: Expression): Column

  /**
   * How many rows of the partition are in the motion's windows up to and with each, where not all
   * are.
   */
  def counted: Option[LongColumn]

  /** The current row's position. */
  def currentRow: Long
}

package org.apache.spark.sql.muntin.execution.over

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.frames.{
  EdgePlan,
  FramePlan,
  MotionFrame,
  MotionPlan,
  RowsFrom,
  SlidingPlan,
  Unbounded
}
import org.apache.spark.sql.muntin.execution.functions.FrameBuilder
import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, InputColumns, Output}
import io.muntin.kernel.{AcrossFrames, Aligned, Followed, Saved}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{PiecedMotion, RowMotion}
import io.muntin.kernel.ranks.Ranking
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernels of one task, put together: columns, motions, accumulators and outputs of every frame.
 * It is told which rows arrive and writes the results of one row after the other, in order. Where
 * rows come from, and where they wait meanwhile, is not its business. `isSplit`: rows of a partition may be in
 * other tasks, of which it may hear before any arrive (`precede`, `follow`).
 */
final class OverKernel(
    plan: OverPlan,
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    memory: Memory,
    onStream: Boolean,
    code: GeneratedCode,
    isSplit: Boolean = false
) {
  def this(plan: OverPlan, orderSpec: Seq[SortOrder], childOutput: Seq[Attribute], memory: Memory) =
    this(plan, orderSpec, childOutput, memory, onStream = false, new GeneratedCode(childOutput))

  private val columns = new InputColumns(childOutput, memory, code)
  private val lanes = mutable.LinkedHashMap.empty[Expression, Lane]
  // By order: a frame's own may be a part of that of the rows.
  private val peerNumbers = mutable.LinkedHashMap.empty[Seq[Expression], PeerNumbers]
  private lazy val ranks = new Ranking(peersIn(orderSpec))
  private var usesRanks = false

  // The first row of the partition, or of those that have come again.
  private var first = 0L
  private var rows = 0L
  private var current = 0L

  // Whether the rows from `current` on are behind those that will arrive.
  private var follows = false

  // By the end that the frames have in common.
  private val sharedByEnd = mutable.LinkedHashMap.empty[(EdgePlan, AnyRef), AcrossFrames]

  private val currentReader = new Column.Reader {
    override def floor: Long = current
  }

  private val firstReader = new Column.Reader {
    override def floor: Long = first
  }

  private val frames: Array[Frame] =
    plan.frames.map { case (motion, functions) => new Frame(motion, functions) }.toArray

  private val acrossFrames = sharedByEnd.values.toArray
  private val feed = columns.feed
  private val fedLanes = lanes.values.toArray
  fedLanes.foreach(_.start())
  private val peers: Array[PeerNumbers] = peerNumbers.values.toArray

  /** Every row's result can be written as soon as the row has arrived. */
  val isImmediate: Boolean = frames.forall(_.motion.isImmediate)

  def startPartition(): Unit = startPartition(0L, _ => 0L)

  /**
   * Begins with the row at `first`, if it `startsAnywhere`: rows arrive from there on, and of those before `next`,
   * which are there for the frames of others, `skipTo` says that nobody asks for the results. `counted`: of how many
   * rows before it the condition of a lane is true, for `countedLanes`.
   */
  def startPartition(first: Long, counted: Expression => Long): Unit = {
    startLanes(first, counted)
    peers.foreach(_.startPartition(first, first))
    if (usesRanks) ranks.startPartition(first, first)
    begin(first)
    frames.foreach(_.startPartition(first))
  }

  private def startLanes(first: Long, counted: Expression => Long): Unit =
    fedLanes.foreach(lane => lane.startPartition(first, counted(lane.condition)))

  /** What all frames have in common, before they begin themselves. */
  private def begin(first: Long): Unit = {
    columns.clear(first)
    this.first = first
    rows = first
    current = first
    acrossFrames.foreach(_.startPartition(first))
  }

  /**
   * Takes in a row of a partition that has started, which lies before all that arrive; in any order, if it
   * `startsAnywhere`. `arriveNext` ends it.
   */
  def precede(row: UnsafeRow): Unit = passBy(row, behind = false)

  /** The same of one that lies behind all that arrive. */
  def follow(row: UnsafeRow): Unit = passBy(row, behind = true)

  private def passBy(row: UnsafeRow, behind: Boolean): Unit = {
    if (behind != follows) {
      passBy()
      follows = behind
    }
    feed(row)
    rows += 1
    // In steps, so that columns may forget.
    if (current + 256L == rows) passBy()
  }

  private def passBy(): Unit = if (current < rows) {
    current = rows
    var i = 0
    while (i < frames.length) {
      if (follows) frames(i).follow(rows) else frames(i).precede(rows)
      i += 1
    }
  }

  /** Goes on with the row at `first`, which is the next to arrive; `counted` as where it starts. */
  def arriveNext(first: Long, counted: Expression => Long): Unit = {
    passBy()
    startLanes(first, counted)
    peers.foreach(_.startPartition(first, first))
    if (usesRanks) ranks.startPartition(first, first)
    begin(first)
    frames.foreach(_.arriveNext(first))
  }

  /**
   * Whether the rows that the frames reach, and the first row's position, are all that it needs; of frames
   * that begin or end with the partition, the rows in any order.
   */
  def startsAnywhere: Boolean = frames.forall(_.startsAnywhere)

  /** Whether results depend on how many rows of the partition came before those that the frames reach. */
  def countsRows: Boolean = usesRanks || frames.exists(_.hasBlocks)

  /** The conditions of lanes of which results depend on how many rows were in them before. */
  def countedLanes: Seq[Expression] = frames.toSeq.filter(_.hasBlocks).flatMap(_.motionPlan.where)

  /**
   * Goes on with a partition of which `save` has written what it holds besides its rows: those from `first`
   * on arrive again, in order, and with `answered` called, of those before `next` the results.
   */
  def startPartition(in: DataInput, first: Long): Unit = {
    fedLanes.foreach(_.startPartition(first, in.readLong()))
    peers.foreach(_.startPartition(first, in.readLong()))
    if (usesRanks) ranks.startPartition(first, in.readLong())
    begin(first)
    frames.foreach(_.restore(in, first))
  }

  /** Moves on to the row `next`: the results of those before it have been written, once. */
  def skipTo(next: Long): Unit = {
    while (current < next) {
      frames.foreach(_.skip())
      current += 1
    }
    frames.foreach(_.resumed())
    if (usesRanks) ranks.startPartition(next, ranks.peer)
  }

  /** What cannot be told of the rows from `first` on. */
  def save(out: DataOutput, first: Long): Unit = {
    fedLanes.foreach(lane => out.writeLong(lane.before(first)))
    peers.foreach(p => out.writeLong(if (first < arrived) p.numbers(first) else p.next))
    if (usesRanks) out.writeLong(ranks.peer)
    frames.foreach(_.save(out))
  }

  /**
   * The first row that has to arrive again: none before it is in a window that is still to be told. Where
   * `foreseen`, a window that no later row is before.
   */
  def floor(foreseen: Boolean): Long = {
    var floor = if (usesRanks) math.max(current - 1L, 0L) else current
    var i = 0
    while (i < frames.length) {
      floor = math.min(floor, frames(i).kept(foreseen && current == arrived))
      i += 1
    }
    // What has not come again is in no window any more, though a motion may still stand there.
    math.max(first, floor)
  }

  /** The target of `advance` has been used by others. */
  def rewrite(): Unit = frames.foreach(_.rewrite())

  /** The rows before `first` are in the past: `save` and `floor` will not be asked about them. */
  def forget(first: Long): Unit = {
    fedLanes.foreach(_.forget(first))
    this.first = first
  }

  /** Gives its memory back; it is not used again. */
  def close(): Unit = {
    frames.foreach(_.motion.close())
    acrossFrames.foreach(_.close())
    peers.foreach(_.numbers.close())
    fedLanes.foreach(_.close())
    columns.close()
  }

  /** How many rows there have been. */
  def arrived: Long = rows

  /** It counts rows from the first one on. */
  def isRanked: Boolean = usesRanks

  /** No later row is below that row in its `time`: windows that end before it can be told. */
  def foresee(time: Attribute, row: InternalRow): Unit = {
    columns.foresee(time, row)
    peers.foreach(p => p.numbers.append(p.next))
    frames.foreach(_.motion.foresee(known = true))
  }

  /** Before the next row arrives. */
  def forget(time: Attribute): Unit = {
    columns.takeBack(time)
    peers.foreach(_.numbers.takeBack())
    frames.foreach(_.motion.foresee(known = false))
  }

  /** The first of its functions for which rows would have to be kept for ever. */
  def unbounded: Option[PlannedFunction] = frames.flatMap(_.unbounded).headOption

  def arrive(row: UnsafeRow): Unit = {
    feed(row)
    var order = 0
    while (order < peers.length) {
      peers(order).append(row)
      order += 1
    }
    rows += 1
    var lane = 0
    while (lane < fedLanes.length) {
      fedLanes(lane).arrive(row)
      lane += 1
    }
    var i = 0
    while (i < frames.length) {
      frames(i).motion.arrive(arrived)
      i += 1
    }
  }

  /** Whether a row has arrived whose results are not written yet. */
  def hasPending: Boolean = current < arrived

  /** Whether the results of the oldest pending row can be told. */
  def isReady(ended: Boolean): Boolean = {
    var i = 0
    while (i < frames.length && frames(i).motion.isReady(current, arrived, ended)) i += 1
    i == frames.length
  }

  /** Writes the results of the oldest pending row, which are ready. */
  def advance(target: InternalRow): Unit = {
    if (usesRanks) ranks.advance(current)
    var i = 0
    while (i < frames.length) {
      frames(i).advance(target)
      i += 1
    }
    current += 1
  }

  private def peersIn(order: Seq[SortOrder]): LongColumn =
    peerNumbers
      .getOrElseUpdate(
        order.map(_.canonicalized),
        new PeerNumbers(code.ordering(order), childOutput.size, longs())
      )
      .numbers

  /** Without nulls, and for nobody to overwrite. */
  private def longs(): LongColumn = {
    val column = new LongColumn(memory, nullable = false)
    memory.paging.foreach(column.goesTo)
    column
  }

  /**
   * The rows for which a condition is true, as a sequence of their own: columns in which they alone
   * have positions, and for each row of the partition how many of them there are by then.
   */
  private final class Lane(val condition: Expression) {
    val columns = new InputColumns(childOutput, memory, code)
    val counted = longs()
    counted.addReader(if (onStream) firstReader else currentReader)
    private val predicate = code.predicate(condition)
    private var count = 0L
    private var countedBefore = 0L
    private var feed: InternalRow => Unit = _

    /** When every column has been asked for. */
    def start(): Unit = feed = columns.feed

    /** Begins with the row at `first`, before which `before` have counted. */
    def startPartition(first: Long, before: Long): Unit = {
      columns.clear(before)
      counted.clear(first)
      count = before
      countedBefore = before
    }

    def forget(position: Long): Unit = countedBefore = before(position)

    def close(): Unit = {
      counted.close()
      columns.close()
    }

    /** How many rows have counted before the row at `position`. */
    def before(position: Long): Long =
      if (position == first) countedBefore else counted(position - 1L)

    /** The row that was the one at `position` of those that count; that after the last, where none was. */
    def row(position: Long): Long = {
      var low = first
      var high = counted.size
      while (low < high) {
        val middle = (low + high) >>> 1
        if (counted(middle) <= position) low = middle + 1L else high = middle
      }
      low
    }

    def arrive(row: UnsafeRow): Unit = {
      if (predicate.eval(row)) {
        feed(row)
        count += 1
      }
      counted.append(count)
    }
  }

  private final class Frame(val motionPlan: MotionPlan, functions: Seq[PlannedFunction])
      extends MotionFrame {
    private val lane: Option[Lane] =
      motionPlan.where.map(c => lanes.getOrElseUpdate(c.canonicalized, new Lane(c)))
    override protected val columns: InputColumns = lane.fold(OverKernel.this.columns)(_.columns)
    private val ordinals = functions.map(_.ordinal).toArray
    private var answered = false

    override def memory: Memory = OverKernel.this.memory

    override val motion: RowMotion = motionPlan.build(this)

    // Which of its functions has asked for each accumulator that the motion drives.
    private val askedBy = mutable.ArrayBuffer.empty[PlannedFunction]

    private val outputs: Array[Output] = functions.map { f =>
      val output = f.function.build(this, f.ordinal)
      askedBy ++= Seq.fill(motion.driven.size - askedBy.size)(f)
      output
    }.toArray
    private val rowOutputs = outputs.filter(_.followsRow)

    override def ranking: Ranking = {
      if (!usesRanks) peersIn(orderSpec).addReader(ranks)
      usesRanks = true
      peers(orderSpec)
      ranks
    }

    override def counted: Option[LongColumn] = lane.map(_.counted)

    override def peers(order: Seq[SortOrder]): LongColumn = read(peersIn(order))

    override def currentColumn(expression: Expression): Column = {
      val column = OverKernel.this.columns(expression)
      column.addReader(currentReader)
      column
    }

    override def currentRow: Long = current

    override def isFollowed: Boolean = isSplit && (motionPlan match {
      case FramePlan(lower, Unbounded, _) => lower != Unbounded
      case _ => false
    })

    override def hasHoles: Boolean = motion.isInstanceOf[PiecedMotion]

    override def across[A <: AcrossFrames](key: AnyRef)(make: => A): Option[A] =
      motionPlan match {
        case FramePlan(lower, upper, _)
            if lower != Unbounded && !isFollowed && othersEndAt(upper) =>
          Some(sharedByEnd.getOrElseUpdate((upper, key), make).asInstanceOf[A])
        case _ => None
      }

    private def othersEndAt(end: EdgePlan): Boolean = plan.frames.exists {
      case (other @ FramePlan(lower, `end`, _), _) => lower != Unbounded && other != motionPlan
      case _ => false
    }

    override lazy val pieces: Seq[FrameBuilder] = motion match {
      case pieced: PiecedMotion =>
        pieced.pieces.zipWithIndex.map { case (m, i) => new PieceBuilder(this, m, i) }
      case _ => Seq(this)
    }

    /** Its blocks begin with the partition, as `startsAnywhere` has it. */
    def startPartition(first: Long): Unit = {
      answered = false
      motion.startPartition(lane.fold(first)(_.before(first)))
      origins = motion.origins.map(_ => 0L)
    }

    /** The same, of a partition of which rows have passed by. */
    def arriveNext(first: Long): Unit = {
      answered = false
      motion.arriveNext(lane.fold(first)(_.before(first)))
      origins = motion.origins.map(_ => 0L)
    }

    // A lane begins with the rows that arrive.
    def precede(until: Long): Unit = if (lane.isEmpty) motion.precede(until)

    def follow(until: Long): Unit = if (lane.isEmpty) motion.follow(until)

    def hasBlocks: Boolean = motion.driven.exists {
      case _: Aligned => true
      case _ => false
    }

    /**
     * Where blocks of rows are merged they have to begin where they would if all rows were there: with the
     * partition, in ROWS frames that look back and hold a row of the frame before.
     */
    def startsAnywhere: Boolean = motionPlan match {
      case FramePlan(RowsFrom(shift), _: RowsFrom, _) if shift < 0L => true
      case _: SlidingPlan => true
      // What comes behind it is taken in before its own rows: in no order, whatever is before.
      case FramePlan(_, Unbounded, _) =>
        if (motion.evicts) motion.driven.forall(Followed.supports)
        else saves && saved.forall(_.takesAnyOrder)
      case FramePlan(Unbounded, _, _) => saves && saved.forall(s => s.takesAnyOrder || s.forgets)
      case _ => motion.origins.isEmpty
    }

    def rewrite(): Unit = answered = false

    /** Whether it saves what its accumulators hold, in the place of rows that never leave. */
    private lazy val saved: Seq[Saved] = motion.driven.collect { case a: Saved => a }
    private lazy val saves: Boolean = !motion.evicts && saved.size == motion.driven.size

    // Where not: what its rows, when they enter again, do not tell.
    private var origins: Seq[Long] = Nil

    /** The first of its functions that can do neither that nor without the first row. */
    def unbounded: Option[PlannedFunction] =
      if (!motionPlan.isEndless || saves) None
      else {
        val kept = motion.driven.indexWhere(!_.isInstanceOf[Saved])
        Some(if (kept < 0) functions.head else askedBy(kept))
      }

    def save(out: DataOutput): Unit =
      if (saves) {
        motion.save(out)
        saved.foreach(_.save(out))
      } else motion.origins.foreach(out.writeLong)

    def restore(in: DataInput, first: Long): Unit = {
      answered = false
      motion.startPartition(lane.fold(first)(_.before(first)))
      if (saves) {
        motion.resume(in)
        saved.foreach(_.restore(in))
      } else origins = motion.origins.map(_ => in.readLong())
    }

    /** The rows that have arrived again are in its window again. */
    def resumed(): Unit = motion.resume(origins)

    // What it holds of rows that never leave has been restored, or they enter when it moves over them.
    def skip(): Unit = if (!saves || !(onStream || motionPlan.isEndless)) {
      motion.isReady(current, arrived, ended = true): Unit
      motion.advance(current): Unit
    }

    def kept(ahead: Boolean): Long = {
      val position =
        if (saves) if (ahead) motion.end else motion.floor
        else if (ahead) motion.kept(arrived)
        else math.min(motion.start, motion.floor)
      lane.fold(position)(_.row(position))
    }

    def advance(target: InternalRow): Unit = {
      val moved = motion.advance(current)
      if (!motion.answers) {
        answered = false
        ordinals.foreach(target.setNullAt)
      } else {
        val writing = if (moved || !answered) outputs else rowOutputs
        answered = true
        var i = 0
        while (i < writing.length) {
          writing(i).write(target)
          i += 1
        }
      }
    }
  }
}

package org.apache.spark.sql.muntin.execution.over

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.frames.{
  EdgePlan,
  FramePlan,
  MotionFrame,
  MotionPlan,
  PlannedFrame,
  Transferred,
  Unbounded
}
import org.apache.spark.sql.muntin.execution.functions.{FrameBuilder, RowFrameBuilder}
import org.apache.spark.sql.muntin.execution.rows.{
  BoundColumns,
  GeneratedCode,
  InputColumns,
  Output
}
import io.muntin.kernel.{AcrossFrames, SavableState}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.SharedBlocks
import io.muntin.kernel.motions.{NonMonotonicMotion, PiecedMotion, RowMotion}
import io.muntin.kernel.ranks.Ranking
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernel of OVER in one task: it combines the columns, motions, accumulators and outputs of
 * every frame. Rows arrive, and it returns results row by row, in order. It has three protocols,
 * each with an example in its header: for a batch (WholePartitions), for one large key in several
 * tasks (SplitPartitions), and for a stream (ResumedPartitions).
 *
 * @param onStream
 *   whether it runs micro-batches: then it keeps everything until `release`
 * @param isSplit
 *   whether rows of a partition may be in other tasks
 */
final class OverKernel(
    plan: OverPlan,
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    memory: Memory,
    onStream: Boolean,
    code: GeneratedCode,
    isSplit: Boolean = false
) extends SplitPartitions
    with ResumedPartitions {
  def this(plan: OverPlan, orderSpec: Seq[SortOrder], childOutput: Seq[Attribute], memory: Memory) =
    this(plan, orderSpec, childOutput, memory, onStream = false, new GeneratedCode(childOutput))

  private val columns = new InputColumns(childOutput, memory, code)
  private val lanes = mutable.LinkedHashMap.empty[Expression, Lane]
  // Keyed by order: a frame may use only the first columns of the rows' order.
  private val peerNumbers = mutable.LinkedHashMap.empty[Seq[Expression], PeerNumbers]
  private lazy val ranks = new Ranking(peersIn(orderSpec))
  private var usesRanks = false

  // The first row of the partition, or the first row that has arrived again.
  private var first = 0L
  private var rows = 0L
  private var current = 0L

  // True if the rows from `current` on are added by `follow`, as rows after all arriving rows.
  private var follows = false

  // Keyed by the upper end that frames share.
  private val sharedByEnd = mutable.LinkedHashMap.empty[(EdgePlan, AnyRef), AcrossFrames]

  private val currentReader = new Column.Reader {
    override def floor: Long = current
  }

  private val firstReader = new Column.Reader {
    override def floor: Long = first
  }

  private val frames: Array[Frame] =
    plan.frames.map(new Frame(_)).toArray

  private val acrossFrames = sharedByEnd.values.toArray
  private val feed = columns.feed
  private val fedLanes = lanes.values.toArray
  fedLanes.foreach(_.start())
  private val peers: Array[PeerNumbers] = peerNumbers.values.toArray
  // On a stream, after a bound has been raised.
  private var timeColumns: BoundColumns = _

  override def startPartition(): Unit = startInside(0L, _ => 0L)

  override def startInside(first: Long, counted: Expression => Long): Unit = {
    beginInside(first, counted)
    frames.foreach(_.startPartition(first))
  }

  private def beginInside(first: Long, counted: Expression => Long): Unit = {
    fedLanes.foreach(lane => lane.startPartition(first, counted(lane.condition)))
    peers.foreach(_.startPartition(first, first))
    if (usesRanks) ranks.startPartition(first, first)
    begin(first)
  }

  /** Starts the columns of all frames, before the frames start. */
  private def begin(first: Long): Unit = {
    columns.clear(first)
    this.first = first
    rows = first
    current = first
    acrossFrames.foreach(_.startPartition(first))
  }

  override def precede(row: UnsafeRow): Unit = addOutside(row, isFollowing = false)

  override def follow(row: UnsafeRow): Unit = addOutside(row, isFollowing = true)

  private def addOutside(row: UnsafeRow, isFollowing: Boolean): Unit = {
    if (isFollowing != follows) {
      addOutside()
      follows = isFollowing
    }
    feed(row)
    rows += 1
    // In steps, so that columns can evict rows.
    if (current + 256L == rows) addOutside()
  }

  private def addOutside(): Unit = if (current < rows) {
    current = rows
    var i = 0
    while (i < frames.length) {
      if (follows) frames(i).follow(rows) else frames(i).precede(rows)
      i += 1
    }
  }

  override def arriveInside(first: Long, counted: Expression => Long): Unit = {
    addOutside()
    beginInside(first, counted)
    frames.foreach(_.arriveNext(first))
  }

  override def resume(in: DataInput, first: Long): Unit = {
    fedLanes.foreach(_.startPartition(first, in.readLong()))
    peers.foreach(_.startPartition(first, in.readLong()))
    if (usesRanks) ranks.startPartition(first, in.readLong())
    begin(first)
    frames.foreach(_.restore(in, first))
  }

  /**
   * Resumes a partition of a changed query. `before` has resumed the partition at `first` with the
   * previous query's functions, whose columns have the same ids. A function continues if the
   * previous query had it, or if the rows that arrive again determine it; else its accumulators
   * begin without rows, or with these rows (`ChangedFunctions`).
   *
   * @param continuing
   *   the ordinals of functions that continue, here and in `before`
   */
  def adopt(before: OverKernel, first: Long, continuing: Map[Int, Int]): Unit = {
    fedLanes.foreach { lane =>
      val same = before.lanes.get(lane.condition.canonicalized)
      lane.startPartition(first, same.fold(0L)(_.before(first)))
    }
    peerNumbers.foreach { case (order, numbers) =>
      numbers.startPartition(first, before.peerNumbers.get(order).fold(0L)(_.atBeginning))
    }
    if (usesRanks) ranks.startPartition(first, if (before.usesRanks) before.ranks.peer else first)
    begin(first)
    frames.foreach { frame =>
      frame.adopt(before.frameOf(frame.planned.motion), first, continuing)
    }
  }

  /** Returns the accumulators of the function at this ordinal. */
  def accumulators(ordinal: Int): Seq[AnyRef] = frames.flatMap(_.accumulators(ordinal)).toSeq

  private def frameOf(motion: MotionPlan): Option[OverKernel#Frame] =
    frames.find(_.planned.motion == motion)

  override def skipTo(next: Long): Unit = {
    while (current < next) {
      frames.foreach(_.skip())
      current += 1
    }
    frames.foreach(_.resumed())
    if (usesRanks) ranks.startPartition(next, ranks.peer)
  }

  override def save(out: DataOutput, first: Long): Unit = {
    fedLanes.foreach(lane => out.writeLong(lane.before(first)))
    peers.foreach(p => out.writeLong(if (first < arrived) p.numbers(first) else p.next))
    if (usesRanks) out.writeLong(ranks.peer)
    frames.foreach(_.save(out))
  }

  override def floor(isBoundKnown: Boolean): Long = {
    var floor = if (usesRanks) math.max(current - 1L, 0L) else current
    var i = 0
    while (i < frames.length) {
      floor = math.min(floor, frames(i).oldestNeeded(isBoundKnown && current == arrived))
      i += 1
    }
    // A row that has not arrived again is in no later window, though a motion may still be at it.
    math.max(first, floor)
  }

  override def isOver(isBoundKnown: Boolean): Boolean = {
    val boundAt = if (isBoundKnown && current == arrived) arrived else -1L
    frames.forall(_.motion.isOver(boundAt))
  }

  override def rewrite(): Unit = frames.foreach(_.rewrite())

  override def release(first: Long): Unit = {
    fedLanes.foreach(_.release(first))
    this.first = first
  }

  override def close(): Unit = {
    frames.foreach(_.close())
    acrossFrames.foreach(_.close())
    peers.foreach(_.numbers.close())
    fedLanes.foreach(_.close())
    columns.close()
  }

  override def arrived: Long = rows

  override def isRanked: Boolean = usesRanks

  override def raiseBound(time: Attribute, row: InternalRow): Unit = {
    if (timeColumns == null) timeColumns = columns.bound(time)
    timeColumns.raise(row)
    var order = 0
    while (order < peers.length) {
      peers(order).numbers.append(peers(order).next)
      order += 1
    }
    setBound(isKnown = true)
  }

  override def takeBackBound(): Unit = {
    timeColumns.takeBack()
    var order = 0
    while (order < peers.length) {
      peers(order).numbers.takeBack()
      order += 1
    }
    setBound(isKnown = false)
  }

  private def setBound(isKnown: Boolean): Unit = {
    var i = 0
    while (i < frames.length) {
      frames(i).motion.setBound(isKnown)
      i += 1
    }
  }

  override def arrive(row: UnsafeRow): Unit = {
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

  override def isLastPeer(next: UnsafeRow): Boolean = {
    var i = 0
    while (i < peers.length && !peers(i).isPeer(next)) i += 1
    i == peers.length
  }

  override def hasPending: Boolean = current < arrived

  override def isReady(ended: Boolean): Boolean = {
    var i = 0
    while (i < frames.length && frames(i).motion.isReady(current, arrived, ended)) i += 1
    i == frames.length
  }

  override def advance(target: InternalRow): Unit = {
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
        new PeerNumbers(PeerOrder(order, childOutput, code), longs())
      )
      .numbers

  private def newLane(condition: Expression): Lane = {
    val counted = longs()
    counted.addReader(if (onStream) firstReader else currentReader)
    val columns = new InputColumns(childOutput, memory, code)
    new Lane(condition, columns, counted, code.predicate(condition))
  }

  /** Returns a column without nulls, which spills if memory is short. */
  private def longs(): LongColumn = {
    val column = new LongColumn(memory, nullable = false)
    memory.paging.foreach(column.spillTo)
    column
  }

  private final class Frame(val planned: PlannedFrame) extends MotionFrame
      with RowFrameBuilder {
    import planned.{functions, motion => motionPlan}

    private val lane: Option[Lane] =
      motionPlan.where.map(c => lanes.getOrElseUpdate(c.canonicalized, newLane(c)))
    override protected val columns: InputColumns = lane.fold(OverKernel.this.columns)(_.columns)
    private val ordinals = functions.map(_.ordinal).toArray
    private var hasWritten = false

    override def memory: Memory = OverKernel.this.memory

    override val motion: RowMotion = motionPlan.build(this)

    // One for each view of the frame: there are several if its windows move back and forth.
    private val views = mutable.ArrayBuffer.empty[View]
    motion match {
      case leaping: NonMonotonicMotion =>
        leaping.open(m => views += new View(new ChainBuilder(this, m, views.size)): Unit)
      case _ => views += new View(this)
    }

    private final class View(frame: RowFrameBuilder) {
      val outputs: Array[Output] = functions.map { f =>
        buildFor(f.ordinal)(f.function.buildForRow(frame, f.ordinal))
      }.toArray
      val rowOutputs: Array[Output] = outputs.filter(_.followsRow)
    }

    private def view: View = motion match {
      case leaping: NonMonotonicMotion => views(leaping.view)
      case _ => views(0)
    }

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

    override def isFollowed: Boolean = isSplit && motionPlan.kindWhenSplit.isFollowed

    override def hasHoles: Boolean = motionPlan.kind.hasHoles

    override def across[A <: AcrossFrames](key: AnyRef)(make: => A): Option[A] =
      motionPlan match {
        case FramePlan(lower, upper, _)
            if lower != Unbounded && !isFollowed && othersEndAt(upper) =>
          Some(sharedByEnd.getOrElseUpdate((upper, key), make).asInstanceOf[A])
        case _ => None
      }

    private val commonBlocks = mutable.LinkedHashMap.empty[AnyRef, SharedBlocks[_]]

    override def blocks[F <: AnyRef](key: AnyRef)(make: Column.Reader => SharedBlocks[F])
        : Option[SharedBlocks[F]] = motion match {
      case leaping: NonMonotonicMotion =>
        Some(commonBlocks.getOrElseUpdate(key, make(leaping)).asInstanceOf[SharedBlocks[F]])
      case _ => None
    }

    private def othersEndAt(end: EdgePlan): Boolean = plan.frames.exists {
      case PlannedFrame(other @ FramePlan(lower, `end`, _), _) =>
        lower != Unbounded && other != motionPlan
      case _ => false
    }

    override lazy val pieces: Seq[FrameBuilder] = motion match {
      case pieced: PiecedMotion =>
        pieced.pieces.zipWithIndex.map { case (m, i) => new PieceBuilder(this, m, i) }
      case _ => Seq(this)
    }

    /**
     * Starts the frame. The blocks of the frame begin with the partition, as
     * `PlannedFrame.isSplittable` describes.
     */
    def startPartition(first: Long): Unit = {
      hasWritten = false
      replays = false
      commonBlocks.values.foreach(_.clear())
      motion.startPartition(lane.fold(first)(_.before(first)))
      origins = motion.origins.map(_ => 0L)
    }

    /** Starts the frame at the next row to arrive, after `precede` and `follow`. */
    def arriveNext(first: Long): Unit = {
      hasWritten = false
      motion.arriveNext(lane.fold(first)(_.before(first)))
      origins = motion.origins.map(_ => 0L)
    }

    // A lane contains only rows that arrive.
    def precede(until: Long): Unit = if (lane.isEmpty) motion.precede(until)

    def follow(until: Long): Unit = if (lane.isEmpty) motion.follow(until)

    def rewrite(): Unit = hasWritten = false

    def close(): Unit = {
      motion.close()
      commonBlocks.values.foreach(_.close())
    }

    /** True if the accumulators are saved with the motion, in place of rows that never leave. */
    private val saves: Boolean = planned.saves
    private lazy val saved: Seq[SavableState] = motion.driven.map {
      case a: SavableState => a
      case other => throw new IllegalStateException(s"${other.getClass} cannot be saved")
    }

    // If accumulators are not saved: the starts of their blocks, which the rows that arrive again
    // do not determine.
    private var origins: Seq[Long] = Nil

    def save(out: DataOutput): Unit =
      if (saves) {
        motion.save(out)
        saved.foreach(_.save(out))
      } else motion.origins.foreach(out.writeLong)

    def restore(in: DataInput, first: Long): Unit = {
      hasWritten = false
      replays = false
      motion.startPartition(lane.fold(first)(_.before(first)))
      if (saves) {
        motion.resume(in)
        saved.foreach(_.restore(in))
      } else origins = motion.origins.map(_ => in.readLong())
    }

    // True if the rows that arrive again enter, although the accumulators are saved later.
    private var replays = false

    /** Starts the frame with the state of the previous query's frame, as OverKernel.adopt does. */
    def adopt(
        before: Option[OverKernel#Frame],
        first: Long,
        continuing: Map[Int, Int]
    ): Unit = {
      hasWritten = false
      motion.startPartition(lane.fold(first)(_.before(first)))
      before match {
        case Some(old) if saves && old.isSaved => old.giveTo(this, continuing)
        case Some(old) if !saves && !old.isSaved && old.blockStarts.size == motion.origins.size =>
          origins = old.blockStarts
        case _ =>
          origins = motion.origins.map(_ => 0L)
          replays = saves
      }
    }

    private[OverKernel] def isSaved: Boolean = saves

    private[OverKernel] def blockStarts: Seq[Long] = origins

    /** Gives a frame of another kernel the state of the motion and of the shared accumulators. */
    private[OverKernel] def giveTo(other: OverKernel#Frame, continuing: Map[Int, Int]): Unit = {
      Transferred(motion.save(_))(other.motion.resume(_: DataInput))
      give(other, continuing)
    }

    /** Adds the rows that have arrived again to the window. */
    def resumed(): Unit = motion.resume(origins)

    // The frame's rows that never leave have been restored already; other rows enter as the frame
    // moves over them.
    def skip(): Unit = if (!saves || replays || !(onStream || motionPlan.isEndless)) {
      motion.isReady(current, arrived, ended = true): Unit
      motion.advance(current): Unit
    }

    def oldestNeeded(ahead: Boolean): Long = {
      val position =
        if (saves) if (ahead) motion.end else motion.floor
        else if (ahead) motion.oldestNeeded(arrived)
        else math.min(motion.start, motion.floor)
      if (lane.isEmpty) position else lane.get.row(position)
    }

    def advance(target: InternalRow): Unit = {
      val moved = motion.advance(current)
      if (!motion.hasResult) {
        hasWritten = false
        ordinals.foreach(target.setNullAt)
      } else {
        val writing = if (moved || !hasWritten) view.outputs else view.rowOutputs
        hasWritten = true
        var i = 0
        while (i < writing.length) {
          writing(i).write(target)
          i += 1
        }
      }
    }
  }
}

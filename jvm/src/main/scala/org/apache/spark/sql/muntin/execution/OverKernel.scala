package org.apache.spark.sql.muntin.execution

import scala.collection.mutable

import io.muntin.kernel._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernels of one task, put together: columns, motions, accumulators and outputs of every frame.
 * It is told which rows arrive and writes the results of one row after the other, in order. Where
 * rows come from, and where they wait meanwhile, is not its business.
 */
final class OverKernel(
    plan: OverPlan,
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    memory: Memory
) {
  private val columns = new InputColumns(childOutput, memory)
  private val lanes = mutable.LinkedHashMap.empty[Expression, Lane]
  // By order: a frame's own may be a part of that of the rows.
  private val peerNumbers = mutable.LinkedHashMap.empty[Seq[Expression], PeerNumbers]
  private lazy val ranks = new Ranking(peersIn(orderSpec))
  private var usesRanks = false

  private var arrived = 0L
  private var current = 0L

  private val currentReader = new Column.Reader {
    override def floor: Long = current
  }

  private val frames: Array[Frame] =
    plan.frames.map { case (motion, functions) => new Frame(motion, functions) }.toArray

  private val feed = columns.feed
  private val fedLanes = lanes.values.toArray
  fedLanes.foreach(_.start())
  private val peers: Array[PeerNumbers] = peerNumbers.values.toArray

  /** Every row's result can be written as soon as the row has arrived. */
  val isImmediate: Boolean = frames.forall(_.motion.isImmediate)

  def startPartition(): Unit = {
    columns.clear()
    fedLanes.foreach(_.startPartition())
    peers.foreach(_.startPartition())
    if (usesRanks) ranks.startPartition()
    arrived = 0L
    current = 0L
    frames.foreach(_.motion.startPartition())
  }

  def arrive(row: UnsafeRow): Unit = {
    feed(row)
    var order = 0
    while (order < peers.length) {
      peers(order).append(row)
      order += 1
    }
    arrived += 1
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
        new PeerNumbers(order, childOutput, new LongColumn(memory, nullable = false))
      )
      .numbers

  /**
   * The rows for which a condition is true, as a sequence of their own: columns in which they alone
   * have positions, and for each row of the partition how many of them there are by then.
   */
  private final class Lane(condition: Expression) {
    val columns = new InputColumns(childOutput, memory)
    val counted = new LongColumn(memory, nullable = false)
    counted.addReader(currentReader)
    private val predicate = Predicate.create(condition, childOutput)
    private var count = 0L
    private var feed: InternalRow => Unit = _

    /** When every column has been asked for. */
    def start(): Unit = feed = columns.feed

    def startPartition(): Unit = {
      columns.clear()
      counted.clear()
      count = 0L
    }

    def arrive(row: UnsafeRow): Unit = {
      if (predicate.eval(row)) {
        feed(row)
        count += 1
      }
      counted.append(count)
    }
  }

  private final class Frame(plan: MotionPlan, functions: Seq[PlannedFunction])
      extends MotionFrame {
    private val lane: Option[Lane] =
      plan.where.map(c => lanes.getOrElseUpdate(c.canonicalized, new Lane(c)))
    override protected val columns: InputColumns = lane.fold(OverKernel.this.columns)(_.columns)
    private val ordinals = functions.map(_.ordinal).toArray
    private var answered = false

    override def memory: Memory = OverKernel.this.memory

    override val motion: RowMotion = plan.build(this)

    private val outputs: Array[Output] =
      functions.map(f => f.function.build(this, f.ordinal)).toArray
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

    override def hasHoles: Boolean = motion.isInstanceOf[PiecedMotion]

    override lazy val pieces: Seq[FrameBuilder] = motion match {
      case pieced: PiecedMotion =>
        pieced.pieces.zipWithIndex.map { case (m, i) => new PieceBuilder(this, m, i) }
      case _ => Seq(this)
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

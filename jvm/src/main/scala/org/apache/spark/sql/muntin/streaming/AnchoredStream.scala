package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.TreeMap

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.anchored.{
  AnchorBounds,
  AnchorFault,
  AnchoredKernel,
  BrokenPromise
}
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, RowFormatter, Unqualified}

/**
 * Runs window_by over streams. The rows of both sides arrive in the order of their times. The time
 * of an anchor is no earlier than its end, so all rows of its window arrive before the anchor.
 */
final case class AnchoredJob(
    keys: Seq[Attribute],
    side: Attribute,
    bounds: AnchorBounds,
    times: AnchorTimes,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    anchors: Seq[Attribute],
    input: Seq[Attribute],
    override val revision: Option[Attribute]
) extends StreamJob {
  import bounds.{closed, end, start}
  import times.obsolete

  override def name: String = WindowBy.name

  override def time: Attribute = bounds.time

  override def delay: Option[Long] = times.delay

  override def arrival: Option[Attribute] = times.arrival

  /**
   * True if an anchor also arrives as a promise, at its own time. Else the anchor itself is its
   * promise.
   */
  val isAnnounced: Boolean = times.own.isDefined

  /** The anchor's own time, if the anchors of a key are emitted in its order. */
  def ordered: Option[Attribute] = if (times.isOrdered) times.own else None

  override def order: Seq[SortOrder] = Seq(time, side, start, end).map(SortOrder(_, Ascending))

  override def output: Seq[Attribute] = anchors ++ results

  // Anchors that agree in all columns are due at one time, so one micro-batch emits them.
  override def resultIdentity: Option[ResultIdentity] =
    Some(ResultIdentity(shown.output, Some(end)))

  override lazy val retainedColumns: Seq[Attribute] = {
    val read = AttributeSet(functions) + time
    input.filter(a => read.contains(a) && !keys.exists(_.exprId == a.exprId))
  }

  override def fingerprint: Seq[(String, String)] =
    Seq(
      "start" -> Unqualified.sql(start),
      "end" -> Unqualified.sql(end),
      "obsolete" -> obsolete.fold("nothing")(Unqualified.sql(_)),
      "closed" -> closed
    ) ++ ordered.map(by => "ordered" -> Unqualified.sql(by)) ++ functions.zipWithIndex.map {
      case (f, i) =>
        s"function ${i + 1}" -> Unqualified.sql(f)
    }

  // Planned with the query, so that the query shows a planning error.
  val plans: Seq[AggregatePlan] = WindowFunctions.planAll(WindowBy.name, functions)

  // Without `due`, unless it is the end itself.
  val shown: RowFormatter = RowFormatter(
    anchors.filterNot(a => a.exprId == times.due.exprId && a.exprId != end.exprId)
  )

  override def kernels(): StreamJob.Kernels = {
    val code = new GeneratedCode(input)
    memory => new AnchoredStream(this, memory, code)
  }
}

object AnchoredJob {

  /** Marks the side of a row: among equal times the rows of the source come first. */
  val Source = 0
  val Promise = 1
  val Anchor = 2
}

/**
 * Computes the windows of one key's anchors, from micro-batch to micro-batch. Only rows of the
 * source have positions.
 */
private final class AnchoredStream(job: AnchoredJob, memory: Memory, code: GeneratedCode)
    extends StreamKernel {
  private val kernel = new AnchoredKernel(
    job.bounds,
    job.plans,
    job.input,
    job.input,
    memory,
    byStart = false,
    Some(code)
  )
  private val side = ordinal(job.side)
  private val obsolete = job.times.obsolete.fold(-1)(ordinal)
  private val start = ordinal(job.bounds.start)
  private val end = ordinal(job.bounds.end)
  private val time = ordinal(job.time)
  private val own = job.ordered.map(ordinal)
  // Buffers results if anchors are emitted in their order.
  private val resultQueue = own.map(_ => new AnchorResultQueue(job.output.size))
  private val target = new SpecificInternalRow(job.functions.map(_.dataType))
  private val joined = new JoinedRow
  private val shownAnchor = code.projection(job.shown.output)
  // Reads a row that is longer than the input.
  private val results = code.projection(
    job.anchors.map(a => BoundReference(ordinal(a), a.dataType, nullable = true)) ++
      job.functions.zipWithIndex.map { case (f, i) =>
        BoundReference(job.input.size + i, f.dataType, nullable = true)
      }
  )

  // The newest promise so far, and the last anchor that has made one; null if no anchor has.
  private var promise = Long.MinValue
  private var promising: UnsafeRow = _
  // For each start, how many anchors have been announced and have not arrived yet.
  private val announcedStarts = new TreeMap[Long, Int]
  private val least = new LongColumn(memory, nullable = false)
  private var found = false
  private var out: InternalRow = _

  private def ordinal(column: Attribute): Int = job.input.indexWhere(_.exprId == column.exprId)

  override def start(key: UnsafeRow): Unit = begin(0L)

  override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = {
    begin(first)
    (0 until in.readInt()).foreach(_ => announcedStarts.put(in.readLong(), in.readInt()))
    if (in.readBoolean()) {
      promise = in.readLong()
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      promising = new UnsafeRow(job.shown.output.size)
      promising.pointTo(bytes, bytes.length)
    }
    resultQueue.foreach(_.read(in))
  }

  private def begin(first: Long): Unit = {
    kernel.startGroup(first)
    promise = Long.MinValue
    promising = null
    announcedStarts.clear()
    resultQueue.foreach(_.clear())
    found = false
  }

  override def resumed(): Unit = ()

  override def resumeWarm(): Unit = ()

  // Only the time of an anchor can be missing: the end of its window.
  override def check(row: UnsafeRow): Unit =
    if (row.isNullAt(time)) throw AnchorFault.NullEnd.error(shown(row))

  override def keeps(row: UnsafeRow): Boolean = row.getInt(side) == AnchoredJob.Source

  override def arrive(row: UnsafeRow): Unit = row.getInt(side) match {
    case AnchoredJob.Source => kernel.arrive(row)
    // The anchor itself reports its errors when it arrives.
    case AnchoredJob.Promise =>
      if (!row.isNullAt(start)) {
        if (obsolete >= 0) hold(row)
        announcedStarts.merge(row.getLong(start), 1, _ + _)
        if (!row.isNullAt(end)) resultQueue.foreach(_.announce(positionOf(row)))
      }
    case _ =>
      val fault = kernel.aim(row)
      if (fault != null) throw fault.error(shown(row))
      if (job.isAnnounced) comes(row.getLong(start)) else if (obsolete >= 0) hold(row)
      kernel.write(target)
      out = results(joined(row, target))
      found = true
      resultQueue.foreach(_.addResult(positionOf(row), out.asInstanceOf[UnsafeRow]))
  }

  // An anchor without a time of its own is announced when it is due.
  private def positionOf(row: UnsafeRow): AnchorResultQueue.AnchorPosition = {
    val at = own.filterNot(row.isNullAt).getOrElse(time)
    AnchorResultQueue.AnchorPosition(row.getLong(at), row.getLong(start), row.getLong(end))
  }

  private def comes(start: Long): Unit = {
    val others = announcedStarts.get(start) - 1
    if (others == 0) announcedStarts.remove(start): Unit
    else announcedStarts.put(start, others): Unit
  }

  // Each anchor must keep the promises of earlier anchors.
  private def hold(row: UnsafeRow): Unit = {
    if (promising != null && row.getLong(start) < promise) {
      throw broken(BrokenPromise.StartsBefore, row)
    }
    if (!row.isNullAt(obsolete)) {
      val next = row.getLong(obsolete)
      if (promising != null && next < promise) {
        throw broken(BrokenPromise.Decreases, row)
      }
      promise = next
      promising = shownAnchor(row).copy()
    }
  }

  private def broken(promise: BrokenPromise, row: UnsafeRow): Throwable =
    promise.error(job.times.obsolete.get.name, shown(row), job.shown(promising))

  private def shown(row: UnsafeRow): String = job.shown(shownAnchor(row))

  override def raiseBound(bound: Long): Unit = ()

  override def end(newest: Long): Unit = ()

  override def next(): Boolean = resultQueue match {
    case Some(anchors) =>
      out = anchors.next()
      out != null
    case None =>
      val isNew = found
      found = false
      isNew
  }

  override def result: InternalRow = out

  override def floor: Long = {
    if (promising != null) {
      least.clear()
      least.append(if (announcedStarts.isEmpty) promise
      else math.min(promise, announcedStarts.firstKey))
      kernel.evictBefore(least)
    }
    kernel.floor
  }

  override def arrived: Long = kernel.rows

  override def written: Long = kernel.rows

  override def save(out: DataOutput): Unit = {
    out.writeInt(announcedStarts.size)
    announcedStarts.forEach { (start, count) =>
      out.writeLong(start)
      out.writeInt(count)
    }
    out.writeBoolean(promising != null)
    if (promising != null) {
      out.writeLong(promise)
      out.writeInt(promising.getSizeInBytes)
      out.write(promising.getBytes)
    }
    resultQueue.foreach(_.write(out))
  }

  // The group keeps a promise forever.
  override def isDone: Boolean =
    kernel.rows == 0L && promising == null && announcedStarts.isEmpty &&
      resultQueue.forall(_.isEmpty)

  override def wakeUpTime: Long = Long.MaxValue
}

package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.anchored.{AnchorPlan, AnchoredKernel, BrokenPromise}
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.expressions.{
  GroupAggregate,
  InvalidRow,
  ShownRow,
  Unqualified,
  WindowBy
}

/**
 * window_by over streams. The rows of both sides come in the order of their times. The time of an
 * anchor is no earlier than its end: so all rows of its window come before the anchor.
 */
final case class AnchoredJob(
    keys: Seq[Attribute],
    time: Attribute,
    side: Attribute,
    start: Attribute,
    end: Attribute,
    obsolete: Option[Attribute],
    hidden: Seq[Attribute],
    closed: String,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    anchors: Seq[Attribute],
    input: Seq[Attribute],
    delay: Option[Long]
) extends StreamJob {
  override def name: String = WindowBy.name

  override def order: Seq[SortOrder] = Seq(time, side, end, start).map(SortOrder(_, Ascending))

  override def output: Seq[Attribute] = anchors ++ results

  override lazy val kept: Seq[Attribute] = {
    val read = AttributeSet(functions) + time
    input.filter(a => read.contains(a) && !keys.exists(_.exprId == a.exprId))
  }

  override def fingerprint: Seq[(String, String)] =
    Seq(
      "start" -> Unqualified.sql(start),
      "end" -> Unqualified.sql(end),
      "obsolete" -> obsolete.fold("nothing")(Unqualified.sql(_)),
      "closed" -> closed
    ) ++ functions.zipWithIndex.map { case (f, i) =>
      s"function ${i + 1}" -> Unqualified.sql(f)
    }

  def plan: AnchorPlan = AnchorPlan(
    time,
    start,
    end,
    withStart = Set("both", "left")(closed),
    withEnd = Set("both", "right")(closed)
  )

  // Planned with the query, so that an error is shown there.
  val plans: Seq[AggregatePlan] = WindowFunctions.planAll(WindowBy.name, functions)

  val shown: ShownRow = ShownRow(anchors.filterNot(a => hidden.exists(_.exprId == a.exprId)))

  override def kernels(): StreamJob.Kernels = {
    val code = new GeneratedCode(input)
    memory => new AnchoredStream(this, memory, code)
  }

  // Only an anchor: a row of the source has a time.
  override def withoutTime(row: UnsafeRow): Option[Throwable] = {
    val anchor = UnsafeProjection.create(shown.output, input)(row)
    Some(AnchoredJob.unfit(shown(anchor), "end is null"))
  }
}

object AnchoredJob {

  /** Which side a row comes from: of equal times the rows of the source come first. */
  val Source = 0
  val Anchor = 1

  def unfit(anchor: String, fault: String): Throwable =
    InvalidRow(WindowBy.name, "anchors", s"($anchor), of which $fault")
}

/**
 * The windows of one key's anchors, from micro-batch to micro-batch. Only rows of the source have
 * positions.
 */
private final class AnchoredStream(job: AnchoredJob, memory: Memory, code: GeneratedCode)
    extends StreamKernel {
  private val kernel = new AnchoredKernel(
    job.plan,
    job.plans,
    job.input,
    job.input,
    memory,
    byStart = false,
    Some(code)
  )
  private val side = ordinal(job.side)
  private val obsolete = job.obsolete.fold(-1)(ordinal)
  private val start = ordinal(job.start)
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

  // What the anchors have promised so far, and the last anchor that has; null where none has.
  private val promise = new LongColumn(memory, nullable = false)
  private var promising: UnsafeRow = _
  private var found = false
  private var out: InternalRow = _

  private def ordinal(column: Attribute): Int = job.input.indexWhere(_.exprId == column.exprId)

  override def start(key: UnsafeRow): Unit = begin(0L)

  override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = {
    begin(first)
    if (in.readBoolean()) {
      promise.append(in.readLong())
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      promising = new UnsafeRow(job.shown.output.size)
      promising.pointTo(bytes, bytes.length)
    }
  }

  private def begin(first: Long): Unit = {
    kernel.startGroup(first)
    promise.clear()
    promising = null
    found = false
  }

  override def resumed(): Unit = ()

  override def goOn(): Unit = ()

  override def keeps(row: UnsafeRow): Boolean = row.getInt(side) == AnchoredJob.Source

  override def arrive(row: UnsafeRow): Unit =
    if (keeps(row)) kernel.arrive(row)
    else {
      val fault = kernel.aim(row)
      if (fault != null) throw AnchoredJob.unfit(shown(row), fault)
      if (obsolete >= 0) hold(row)
      kernel.write(target)
      out = results(joined(row, target))
      found = true
    }

  // Each anchor has to keep what earlier anchors have promised.
  private def hold(row: UnsafeRow): Unit = {
    if (promising != null && row.getLong(start) < promise(0L)) {
      throw broken(row, s"starts before ${job.obsolete.get.name} of")
    }
    if (!row.isNullAt(obsolete)) {
      val next = row.getLong(obsolete)
      if (promising != null && next < promise(0L)) {
        throw broken(row, s"has a ${job.obsolete.get.name} before that of")
      }
      promise.clear()
      promise.append(next)
      promising = shownAnchor(row).copy()
    }
  }

  private def broken(row: UnsafeRow, how: String): Throwable =
    BrokenPromise(
      shown(row),
      how,
      job.shown(promising),
      "came or ended earlier or at the same time"
    )

  private def shown(row: UnsafeRow): String = job.shown(shownAnchor(row))

  override def raiseBound(bound: Long): Unit = ()

  override def end(newest: Long): Unit = ()

  override def next(): Boolean = {
    val isNew = found
    found = false
    isNew
  }

  override def result: InternalRow = out

  override def floor: Long = {
    if (promising != null) kernel.letGo(promise)
    kernel.floor
  }

  override def arrived: Long = kernel.rows

  override def written: Long = kernel.rows

  override def save(out: DataOutput): Unit = {
    out.writeBoolean(promising != null)
    if (promising != null) {
      out.writeLong(promise(0L))
      out.writeInt(promising.getSizeInBytes)
      out.write(promising.getBytes)
    }
  }

  // A promise is never forgotten.
  override def isDone: Boolean = kernel.rows == 0L && promising == null

  override def wake: Long = Long.MaxValue
}

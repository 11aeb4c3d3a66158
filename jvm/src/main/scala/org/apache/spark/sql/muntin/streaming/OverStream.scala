package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.frames.{MotionPlan, PlannedFunction}
import org.apache.spark.sql.muntin.execution.over.{OverKernel, OverPlan, OverResults}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.expressions.common.Unqualified
import org.apache.spark.sql.types.DataType

/** Runs window functions over a stream. */
final case class OverJob(
    outputs: Seq[NamedExpression],
    plan: OverPlan,
    keys: Seq[Attribute],
    order: Seq[SortOrder],
    input: Seq[Attribute],
    override val revision: Option[Attribute],
    override val ttl: Option[GroupTtl]
) extends StreamJob {
  override def name: String = "OVER"

  override def time: Attribute = order.head.child.asInstanceOf[Attribute]

  override def output: Seq[Attribute] = input ++ outputs.map(_.toAttribute)

  // Keys and order identify a row, and among equal rows the order of arrival.
  override def resultIdentity: Option[ResultIdentity] = {
    val columns = (keys ++ order.flatMap(_.child.references)).foldLeft(Seq.empty[Attribute]) {
      (found, a) => if (found.exists(_.exprId == a.exprId)) found else found :+ a
    }
    Some(ResultIdentity(columns, Some(time)))
  }

  private def motions: Seq[MotionPlan] = plan.frames.map(_.motion)

  override lazy val retainedColumns: Seq[Attribute] =
    // If every row has its result when it arrives, only windows read kept rows.
    if (!plan.isImmediate) nonKeyColumns
    else {
      val read = AttributeSet(plan.functions.map(_.window) ++ order)
      nonKeyColumns.filter(read.contains)
    }

  override def fingerprint: Seq[(String, String)] =
    plan.functions.zipWithIndex.map { case (f, i) =>
      s"function ${i + 1}" -> Unqualified.sql(f.window)
    } ++ ttl.map("ttl" -> _.sql)

  override def savedBuffers: Seq[Seq[DataType]] =
    plan.functions.map(f => if (f.saves) f.function.savedTypes else Nil)

  override def delay: Option[Long] = longest(_.readyBy).map(math.max(0L, _))

  /** The least delay from a row's time to its result, if no other row arrives. */
  lazy val readyAfter: Option[Long] = longest(_.readyAfter).map(math.max(0L, _))

  /** The delay from a row's time until the row is in no window any more. */
  lazy val keptFor: Option[Long] = longest(_.keptFor)

  /**
   * Returns the first function that may have to wait for a later row; None if every row has its
   * results when it arrives, without the peers that arrive later.
   */
  def waitingFunction: Option[PlannedFunction] =
    plan.functions.find(f => !f.frame.endsWithPeers && !f.frame.readyBy.exists(_ < 0L))

  private def longest(of: MotionPlan => Option[Long]): Option[Long] = {
    val times = motions.map(of)
    if (times.forall(_.isDefined)) times.flatten.maxOption else None
  }

  override def kernels(): StreamJob.Kernels = {
    val results = OverResults(plan, outputs, input, inputColumns = input.size)
    val code = new GeneratedCode(input)
    val bound = new SpecificInternalRow(input.map(_.dataType))
    memory => new OverStream(this, results, memory, code, bound)
  }
}

/**
 * Runs the kernel of an OVER clause, from micro-batch to micro-batch. `bound` receives the bounds.
 */
private final class OverStream(
    job: OverJob,
    results: OverResults,
    memory: Memory,
    code: GeneratedCode,
    bound: InternalRow
) extends StreamKernel {
  private val kernel = new OverKernel(job.plan, job.order, job.input, memory, onStream = true, code)
  private val number = job.timeNumber

  // The rows whose results have not been emitted yet.
  private val pending = new PendingRows
  private var lastTime = Long.MinValue
  private var finished = 0L
  // True if a bound follows the last row, and if the bound is above the row's time.
  private var hasBound = false
  private var isPastLast = false
  // True if the last row has its result without a bound in the columns.
  private var isLastReleased = false
  private var ended = false
  private var out: InternalRow = _

  override def start(key: UnsafeRow): Unit = {
    begin(0L)
    kernel.startPartition()
  }

  override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = {
    begin(written)
    lastTime = in.readLong()
    kernel.resume(in, first)
  }

  override def accumulators(ordinal: Int): Seq[AnyRef] = kernel.accumulators(ordinal)

  override def adopt(
      before: StreamKernel,
      first: Long,
      written: Long,
      continuing: Map[Int, Int]
  ): Unit = before match {
    case old: OverStream =>
      begin(written)
      lastTime = old.lastTime
      kernel.adopt(old.kernel, first, continuing)
    case other => throw new IllegalStateException(s"no window functions: ${other.getClass}")
  }

  private def begin(written: Long): Unit = {
    pending.clear()
    lastTime = Long.MinValue
    finished = written
    hasBound = false
    isPastLast = false
    isLastReleased = false
    ended = false
  }

  override def resumeWarm(): Unit = {
    if (hasBound) kernel.takeBackBound()
    hasBound = false
    isPastLast = false
    isLastReleased = false
    kernel.rewrite()
  }

  override def forget(floor: Long): Unit = kernel.release(floor)

  override def resumed(): Unit = kernel.skipTo(finished)

  override def arrive(row: UnsafeRow): Unit = {
    if (kernel.arrived >= finished) pending.add(row)
    kernel.arrive(row)
    lastTime = number.of(row)
  }

  override def raiseBound(time: Long): Unit = {
    number.put(bound, time)
    kernel.raiseBound(job.time, bound)
    hasBound = true
    // In the order of arrival, peers of the last row may follow it: the bound emits its result, but
    // the peers still join its window.
    isPastLast = time > lastTime
  }

  // All windows in real-time mode look back, so the frame of the last row is known as at the end of
  // a partition. The kernel would take back a bound before the next row.
  override def releaseLast(): Boolean = {
    isLastReleased = true
    true
  }

  override def end(newest: Long): Unit = ended = true

  override def next(): Boolean = {
    val found = kernel.hasPending && kernel.isReady(ended || isLastReleased)
    if (found) {
      kernel.advance(results.target)
      finished += 1L
      out = results.join(pending.take())
    }
    found
  }

  override def result: InternalRow = out

  override def floor: Long = kernel.floor(isPastLast)

  override def arrived: Long = kernel.arrived

  override def written: Long = finished

  override def save(out: DataOutput): Unit = {
    out.writeLong(lastTime)
    kernel.save(out, floor)
  }

  // Downstream operators use the time of the oldest buffered row.
  override def begin: Long =
    if (finished < arrived) number.of(pending.oldest) else Long.MaxValue

  override def isDone: Boolean = job.keptFor.isDefined && floor == arrived &&
    !kernel.isRanked && kernel.isOver(isPastLast)

  override def wakeUpTime: Long =
    if (finished < arrived)
      job.readyAfter.fold(Long.MaxValue)(number.of(pending.oldest) + _ + 1L)
    else if (kernel.isRanked) Long.MaxValue
    else job.keptFor.fold(Long.MaxValue)(lastTime + _ + 1L)
}

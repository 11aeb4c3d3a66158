package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.fields.UnfitRow
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.groups.{
  GroupKernel,
  GroupLayout,
  GroupPlan,
  GroupRow,
  GroupWindowSpec
}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.expressions.{GroupWindow, Unqualified}

/**
 * Windows of groups over a stream: `functions` are computed, `shown` are the same functions as the
 * query has them.
 *
 * @param isPaned
 *   whether rows are partials of panes; `time` is then the time when the last row of the pane may
 *   have come
 * @param marks
 *   windows are cut at the start of every `marks`-th row of all groups
 */
final case class GroupJob(
    window: GroupWindow,
    plan: GroupPlan,
    windowAttribute: Attribute,
    functions: Seq[AggregatePlan],
    shown: Seq[String],
    results: Seq[Attribute],
    keys: Seq[Attribute],
    order: Seq[SortOrder],
    kept: Seq[Attribute],
    input: Seq[Attribute],
    isPaned: Boolean,
    marks: Option[Int],
    override val revision: Option[Attribute]
) extends StreamJob {
  override def name: String = window.prettyName

  override def time: Attribute = order.head.child.asInstanceOf[Attribute]

  override def output: Seq[Attribute] = (keys :+ windowAttribute) ++ results

  override def scatters: Boolean = plan.scatters

  override def isMarked: Boolean = marks.isDefined

  override def fingerprint: Seq[(String, String)] =
    Seq(
      "group by" -> Unqualified.sql(window),
      MuntinConf.PanesEnabled.key -> isPaned.toString
    ) ++ shown.zipWithIndex.map { case (f, i) => s"function ${i + 1}" -> f }

  // Windows that come out later end behind the watermark.
  override def delay: Option[Long] = Some(0L)

  override def takesRowsAtBound: Boolean = onStream.closesAtRows

  override def isInOrder: Boolean = false

  override def known: Option[ResultIdentity] = Some(ResultIdentity(
    keys :+ windowAttribute,
    onStream.repeats.map(field => GetStructField(windowAttribute, field))
  ))

  @transient private lazy val onStream = GroupWindowSpec.of(window).onStream

  override def drain: Option[Boolean] = window.drain

  override def endsByNewest: Boolean = onStream.endsByNewest

  override def hasClosing: Boolean = onStream.hasClosing

  override def lastEnd(time: Long, openUntil: Long): Option[Long] =
    onStream.lastEnd(time, openUntil)

  def isUnbounded: Boolean = plan.isUnbounded(functions)

  @transient private lazy val layout = GroupLayout(keys, window.dataType, results.map(_.dataType))

  @transient private lazy val ordinals = layout.ordinals

  private[streaming] def newKernel(memory: Memory, code: GeneratedCode): GroupKernel =
    new GroupKernel(plan, functions, ordinals, input, memory, code)

  override def kernels(): StreamJob.Kernels = {
    val code = new GeneratedCode(input)
    val newRow = layout.rows()
    val unfit = plan.unfit.map { case (is, why) => (code.predicate(is), why) }
    memory => new GroupStream(this, newKernel(memory, code), newRow(), unfit)
  }
}

/** The kernels of a group's windows, from micro-batch to micro-batch. */
private final class GroupStream(
    job: GroupJob,
    kernel: GroupKernel,
    row: GroupRow,
    unfit: Option[(BasePredicate, UnfitRow)]
) extends StreamKernel {
  private var ended = false

  override def start(key: UnsafeRow): Unit = {
    ended = false
    row.start(key.copy())
    kernel.startGroup()
  }

  override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = {
    ended = false
    row.start(key.copy())
    kernel.startGroup(first)
    kernel.resume(in)
  }

  override def arriveAgain(position: Long, row: UnsafeRow): Unit =
    if (job.scatters) kernel.arriveAgain(row, position) else kernel.arrive(row)

  override def resumed(): Unit = if (job.scatters) kernel.resumed()

  override def positions: Array[Long] = kernel.positions

  override def check(row: UnsafeRow): Unit = unfit.foreach { case (is, why) =>
    if (is.eval(row)) throw why
  }

  // A bound that was raised still holds, and all windows that are ready by it have come out.
  override def goOn(): Unit = ()

  override def cutAt(times: LongColumn): Unit = kernel.cutAt(times)

  override def arrive(row: UnsafeRow): Unit = kernel.arrive(row)

  override def raiseBound(bound: Long): Unit = kernel.raiseBound(bound)

  override def end(newest: Long): Unit = {
    kernel.end(newest)
    ended = true
  }

  override def next(): Boolean = kernel.next(ended, row.window, row.results)

  override def result: InternalRow = row.written

  override def floor: Long = kernel.kept

  override def arrived: Long = kernel.arrived

  // Rows have no results of their own.
  override def written: Long = kernel.arrived

  override def save(out: DataOutput): Unit = kernel.save(out)

  override def isDone: Boolean = kernel.isDone

  override def begin: Long = kernel.begin

  override def wake: Long = kernel.wake
}

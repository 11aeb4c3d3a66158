package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.groups.{
  AllGroups,
  GroupKernel,
  GroupLayout,
  GroupRow,
  GroupWindowPlan
}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, GroupWindow}
import org.apache.spark.sql.types.DataType

/**
 * Runs GROUP BY windows over a stream.
 *
 * @param order
 *   the row time first; over panes, the time when the last row of a pane may have arrived
 * @param input
 *   the columns of the stream's rows, or of partial aggregates of panes
 * @param requested
 *   the windows over the stream's rows
 * @param aggregates
 *   the functions, over the input
 * @param fingerprint
 *   the fingerprint of the query's windows
 */
final case class GroupJob(
    plan: GroupWindowPlan,
    @transient requested: GroupWindow,
    @transient aggregates: Seq[GroupAggregate],
    functions: Seq[AggregatePlan],
    override val keys: Seq[Attribute],
    windowAttribute: Attribute,
    results: Seq[Attribute],
    override val revision: Option[Attribute],
    override val input: Seq[Attribute],
    override val order: Seq[SortOrder],
    override val retainedColumns: Seq[Attribute],
    override val fingerprint: Seq[(String, String)]
) extends StreamJob {
  override def name: String = plan.prettyName

  override def time: Attribute = order.head.child.asInstanceOf[Attribute]

  override def output: Seq[Attribute] = (keys :+ windowAttribute) ++ results

  override def scatters: Boolean = plan.scatters

  // If all rows are one group, its own motion counts them.
  override def isMarked: Boolean = keys.nonEmpty && plan.marks.isDefined

  // If rows leave, the state contains rows.
  override def savedBuffers: Seq[Seq[DataType]] =
    if (plan.kinds.exists(_.evicts)) Nil else functions.map(_.savedTypes)

  /** Returns the functions of the query, as SQL. */
  def functionTexts: Seq[String] =
    OperatorChange.functionsOf(fingerprint.toMap).map(OperatorChange.readable)

  /** Returns what the columns of partial aggregates contain, if the input has any. */
  @transient private[streaming] lazy val panes = new PaneContents(this)

  /** Returns true if the state has accumulators in place of the rows of windows. */
  def saves: Boolean = plan.saves(functions)

  // Windows that are emitted later end after the watermark.
  override def delay: Option[Long] = Some(0L)

  override def takesRowsAtBound: Boolean = plan.closesAtRows

  override def emitsInTimeOrder: Boolean = false

  override def resultIdentity: Option[ResultIdentity] = Some(ResultIdentity(
    keys :+ windowAttribute,
    plan.repeats.map(field => GetStructField(windowAttribute, field))
  ))

  override def drain: Option[Boolean] = plan.window.drain

  override def endsByNewest: Boolean = plan.endsByNewest

  override def hasClosing: Boolean = plan.hasClosing

  override def lastEnd(time: Long, openUntil: Long): Option[Long] = plan.lastEnd(time, openUntil)

  @transient private lazy val layout = GroupLayout(keys, plan.dataType, results.map(_.dataType))

  @transient private lazy val ordinals = layout.ordinals

  private[streaming] def newKernel(memory: Memory, code: GeneratedCode): GroupKernel = {
    val allGroups = AllGroups(isStream = true, isMarked = isMarked)
    new GroupKernel(plan, allGroups, functions, ordinals, input, memory, code)
  }

  override def kernels(): StreamJob.Kernels = {
    val code = new GeneratedCode(input)
    val newRow = layout.rows()
    val unfit = plan.unfit.map { case (is, why) => (code.predicate(is), why) }
    memory => new GroupStream(this, newKernel(memory, code), newRow(), unfit)
  }
}

/** Runs the kernels of a group's windows, from micro-batch to micro-batch. */
private final class GroupStream(
    job: GroupJob,
    private val kernel: GroupKernel,
    row: GroupRow,
    unfit: Option[(BasePredicate, InvalidWindowRowException)]
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

  override def accumulators(ordinal: Int): Seq[AnyRef] = kernel.accumulators(ordinal)

  override def adopt(
      before: StreamKernel,
      first: Long,
      written: Long,
      continuing: Map[Int, Int]
  ): Unit = before match {
    case old: GroupStream => kernel.adopt(old.kernel, first, continuing)
    case other => throw new IllegalStateException(s"no windows of groups: ${other.getClass}")
  }

  override def adopted(): Unit = kernel.adopted()

  override def replayRow(position: Long, row: UnsafeRow): Unit =
    if (job.scatters) kernel.replayRow(row, position) else kernel.arrive(row)

  override def resumed(): Unit = if (job.scatters) kernel.resumed()

  override def positions: Array[Long] = kernel.positions

  override def check(row: UnsafeRow): Unit = unfit.foreach { case (is, why) =>
    if (is.eval(row)) throw why
  }

  // The last bound still holds, and all windows that it completes have been emitted.
  override def resumeWarm(): Unit = ()

  override def cutAt(times: LongColumn): Unit = kernel.cutAt(times)

  override def arrive(row: UnsafeRow): Unit = kernel.arrive(row)

  override def raiseBound(bound: Long): Unit = kernel.raiseBound(bound)

  override def end(newest: Long): Unit = {
    kernel.end(newest)
    ended = true
  }

  override def next(): Boolean = kernel.next(ended, row.window, row.results)

  override def result: InternalRow = row.written

  override def floor: Long = kernel.oldest

  override def arrived: Long = kernel.arrived

  // Rows have no results of their own.
  override def written: Long = kernel.arrived

  override def save(out: DataOutput): Unit = kernel.save(out)

  override def isDone: Boolean = kernel.isDone

  override def begin: Long = kernel.begin

  override def wakeUpTime: Long = kernel.wakeUpTime
}

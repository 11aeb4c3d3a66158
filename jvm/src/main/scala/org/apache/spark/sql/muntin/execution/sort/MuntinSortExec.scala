package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.{StripedRows, SupportsStripes}
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, OperatorMetrics, SupportsRowAppend}

/**
 * Sorts each partition as Spark's SortExec does. The first `groups` of the orders define the
 * groups. A counting sort brings rows to their groups, and rows are sorted by numbers within each
 * group. If rows arrive in the order of the first keys, as from another window over the same keys,
 * they are sorted part by part (`SortedParts`).
 *
 * @param inAnyOrder
 *   whether the operator above only requires that the rows of a group are adjacent
 */
case class MuntinSortExec(
    sortOrder: Seq[SortOrder],
    groups: Int,
    child: SparkPlan,
    inAnyOrder: Boolean = false
) extends UnaryExecNode
    with SupportsRowAppend {

  override def nodeName: String = "MuntinSort"

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = if (inAnyOrder) Nil else sortOrder

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](sortOrder, groups) ++ Option.when(ordered > 0)("part by part")

  override def verboseStringWithOperatorId(): String =
    s"${super.verboseStringWithOperatorId()}Reads: ${if (readsStripes) "stripes" else "rows"}\n"

  /** Returns true if the child's rows are sorted in their stripes, by columns. */
  private def readsStripes: Boolean = ordered == 0 && SupportsStripes.isIn(child) &&
    sortOrder.forall(_.child.isInstanceOf[Attribute])

  /** Returns by how many of the first orders the rows are sorted already. */
  private def ordered: Int = sortOrder
    .zip(child.outputOrdering)
    .takeWhile { case (order, found) => found.satisfies(order) }
    .size

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext) ++ Map(
    "sortTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "sort time"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")
  )

  override def canReserve(fields: Int): Boolean = true

  override protected def rowsWith(reserved: Int): RDD[InternalRow] = {
    // Rows in stripes stay in place, so buckets would not bring them closer; the rows of a part are
    // close.
    val withoutBuckets = task(inBuckets = false, reserved)
    val first = ordered
    val rows = child.execute()
    if (first > 0) rows.mapPartitionsInternal(withoutBuckets.parts(_, first))
    else if (readsStripes) {
      StripedRows.stripes(rows).mapPartitionsInternal {
        withoutBuckets(_)((sorter, stripe) => sorter.add(stripe))
      }
    } else {
      val sort = task(inBuckets = inAnyOrder, reserved)
      rows.mapPartitionsInternal(sort(_)((sorter, row) => sorter.add(row.asInstanceOf[UnsafeRow])))
    }
  }

  private def task(inBuckets: Boolean, reserved: Int) = new TaskSort(
    sortOrder,
    groups,
    child.output,
    inBuckets,
    reserved,
    conf.getConf(MuntinConf.SortMostGathered),
    conf.getConf(MuntinConf.SortSpillRows),
    longMetric(OperatorMetrics.OutputRows),
    longMetric("sortTime"),
    longMetric("peakMemory"),
    longMetric("spillSize")
  )

  override protected def withNewChildInternal(newChild: SparkPlan): MuntinSortExec =
    copy(child = newChild)
}

/** Runs the sort of one task. */
private final class TaskSort(
    sortOrder: Seq[SortOrder],
    groups: Int,
    input: Seq[Attribute],
    inBuckets: Boolean,
    reserved: Int,
    mostGathered: Int,
    spillRows: Int,
    outputRows: SQLMetric,
    sortTime: SQLMetric,
    peakMemory: SQLMetric,
    spillSize: SQLMetric
) extends Serializable {
  def keys: SortKeys = new SortKeys(sortOrder, groups, input, mostGathered, inBuckets)

  /** Returns the rows in their order; `add` adds the input to the sorter. */
  def apply[A](all: Iterator[A])(add: (RowSorter, A) => Unit): Iterator[InternalRow] =
    if (!all.hasNext) Iterator.empty
    else {
      val sorter = newSorter()
      while (all.hasNext) add(sorter, all.next())
      sorted(sorter)
    }

  /** Returns the rows in their order, if they arrive sorted by the first orders. */
  def parts(all: Iterator[InternalRow], ordered: Int): Iterator[InternalRow] =
    if (!all.hasNext) Iterator.empty
    else {
      val rows = new KeyedRows(all, sortOrder.take(ordered).map(_.child), input)
      val enoughRows = math.min(TaskSort.RowsOfPart, spillRows)
      new SortedParts(rows, newSorter(), enoughRows, sorted)
    }

  private def newSorter(): RowSorter = {
    val context = TaskContext.get()
    val sorter = new RowSorter(keys, spillRows, context)
    context.addTaskCompletionListener[Unit] { _ =>
      peakMemory += sorter.peakBytes
      spillSize += sorter.spilledBytes
      context.taskMetrics().incPeakExecutionMemory(sorter.peakBytes)
    }
    sorter
  }

  private def sorted(sorter: RowSorter): Iterator[UnsafeRow] = {
    outputRows += sorter.size
    val start = System.nanoTime()
    val rows = sorter.sorted(reserved)
    sortTime += System.nanoTime() - start
    rows
  }
}

private object TaskSort {
  // Fits the processor's cache, and large enough that the overhead of a part is small.
  private val RowsOfPart = 1 << 14
}

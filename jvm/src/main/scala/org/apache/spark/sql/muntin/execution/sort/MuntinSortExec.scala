package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.StripedRows
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, SupportsRowAppend}

/**
 * Sorts each partition as Spark's SortExec does. The first `groups` of the orders say which rows
 * are of one group; rows are brought to their groups by counting, and sorted by numbers within each
 * group. Where rows come in order of the first keys, as those of another window over the same keys
 * do, they are sorted part by part, as `SortedParts` has it.
 *
 * @param inAnyOrder
 *   whether the operator above asks only that the rows of a group come together
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

  /** In how many of the orders, the first of them, rows come. */
  private def ordered: Int = sortOrder
    .zip(child.outputOrdering)
    .takeWhile { case (order, found) => found.satisfies(order) }
    .size

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "sortTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "sort time"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")
  )

  override def canReserve(fields: Int): Boolean = true

  override protected def rowsWith(reserved: Int): RDD[InternalRow] = {
    // Rows in stripes stay where they are, so that buckets would not bring them closer; the rows of
    // a part are close.
    val withoutBuckets = task(inBuckets = false, reserved)
    val first = ordered
    child.execute() match {
      case rows if first > 0 => rows.mapPartitionsInternal(withoutBuckets.parts(_, first))
      case StripedRows(stripes) if withoutBuckets.keys.areColumns =>
        stripes.mapPartitionsInternal(withoutBuckets(_)((sorter, stripe) => sorter.add(stripe)))
      case rows =>
        val sort = task(inBuckets = inAnyOrder, reserved)
        rows.mapPartitionsInternal {
          sort(_)((sorter, row) => sorter.add(row.asInstanceOf[UnsafeRow]))
        }
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
    longMetric("sortTime"),
    longMetric("peakMemory"),
    longMetric("spillSize")
  )

  override protected def withNewChildInternal(newChild: SparkPlan): MuntinSortExec =
    copy(child = newChild)
}

/** What one task does. */
private final class TaskSort(
    sortOrder: Seq[SortOrder],
    groups: Int,
    input: Seq[Attribute],
    inBuckets: Boolean,
    reserved: Int,
    mostGathered: Int,
    spillRows: Int,
    sortTime: SQLMetric,
    peakMemory: SQLMetric,
    spillSize: SQLMetric
) extends Serializable {
  def keys: SortKeys = new SortKeys(sortOrder, groups, input, mostGathered, inBuckets)

  /** The rows in their order; `add` brings what comes in into the sorter. */
  def apply[A](all: Iterator[A])(add: (RowSorter, A) => Unit): Iterator[InternalRow] =
    if (!all.hasNext) Iterator.empty
    else {
      val sorter = newSorter()
      while (all.hasNext) add(sorter, all.next())
      sorted(sorter)
    }

  /** The same for rows that come in order of the first orders. */
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
    val start = System.nanoTime()
    val rows = sorter.sorted(reserved)
    sortTime += System.nanoTime() - start
    rows
  }
}

private object TaskSort {
  // Near to the processor, and so many that a part takes little time of its own.
  private val RowsOfPart = 1 << 14
}

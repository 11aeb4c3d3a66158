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
import org.apache.spark.sql.muntin.execution.rows.KeyedRows

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
) extends UnaryExecNode {

  override def nodeName: String = "MuntinSort"

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = if (inAnyOrder) Nil else sortOrder

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](sortOrder, groups) ++ Option.when(inParts.nonEmpty)("part by part")

  /** The first of the orders, those in whose order rows come. */
  private def inParts: Seq[SortOrder] = sortOrder
    .zip(child.outputOrdering)
    .takeWhile { case (order, found) => found.satisfies(order) }
    .map(_._1)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "sortTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "sort time"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory"),
    "spillSize" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    // Rows in stripes stay where they are, so that buckets would not bring them closer.
    val ofStripes = task(inBuckets = false)
    val keys = inParts.map(_.child)
    child.execute() match {
      case rows if keys.nonEmpty =>
        val input = child.output
        rows.mapPartitionsInternal(ofStripes.parts(_, keys, input))
      case StripedRows(stripes) if ofStripes.keys.areColumns =>
        stripes.mapPartitionsInternal(ofStripes(_)((sorter, stripe) => sorter.add(stripe)))
      case rows =>
        val sort = task(inBuckets = inAnyOrder)
        rows.mapPartitionsInternal {
          sort(_)((sorter, row) => sorter.add(row.asInstanceOf[UnsafeRow]))
        }
    }
  }

  private def task(inBuckets: Boolean) = new TaskSort(
    sortOrder,
    groups,
    child.output,
    inBuckets,
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

  /** The same for rows that come in order of some keys, the first of the order. */
  def parts(
      all: Iterator[InternalRow],
      keys: Seq[Expression],
      input: Seq[Attribute]
  ): Iterator[InternalRow] =
    if (!all.hasNext) Iterator.empty
    else {
      val enoughRows = math.min(TaskSort.RowsOfPart, spillRows)
      new SortedParts(new KeyedRows(all, keys, input), newSorter(), enoughRows, sorted)
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
    val rows = sorter.sorted()
    sortTime += System.nanoTime() - start
    rows
  }
}

private object TaskSort {
  // Near to the processor, and so many that a part takes little time of its own.
  private val RowsOfPart = 1 << 14
}

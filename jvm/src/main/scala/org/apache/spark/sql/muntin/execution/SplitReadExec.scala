package org.apache.spark.sql.muntin.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  SQLExecution,
  ShufflePartitionSpec,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.MuntinConf

/**
 * Reads the partitions of a shuffle, of which some are split: what would be one task's is read by one task for
 * each chunk, which passes on what is in its chunk and in the halo of that, for a sort above.
 *
 * Every chunk's task reads all rows of the partition, which takes a small part of what it takes to sort
 * them, and so they come to the sort in the order in which they would come to it unsplit.
 */
case class SplitReadExec(
    child: SparkPlan,
    specs: Seq[CoalescedPartitionSpec],
    chunksOfSpecs: Seq[Int],
    sortOrder: Seq[SortOrder],
    keys: Int,
    halo: Halo
) extends UnaryExecNode {
  private def numSplit = chunksOfSpecs.count(_ > 1)

  override def nodeName: String = "MuntinSplitRead"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = UnknownPartitioning(chunksOfSpecs.sum)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numSplitPartitions" -> SQLMetrics.createMetric(sparkContext, "number of split partitions"),
    "numChunks" -> SQLMetrics.createMetric(sparkContext, "number of chunks")
  )

  private def stage: ShuffleQueryStageExec = child match {
    case stage: ShuffleQueryStageExec => stage
    case other => throw new IllegalStateException(s"not a stage: $other")
  }

  private def read(specs: Seq[ShufflePartitionSpec]): RDD[InternalRow] =
    stage.shuffle.getShuffleRDD(specs.toArray).asInstanceOf[RDD[InternalRow]]

  @transient private lazy val cut: Seq[Seq[Chunk]] = {
    val wanted = specs.zip(chunksOfSpecs)
    val forced = conf.getConf(MuntinConf.SplitForceChunks) > 0
    val seed = if (forced) Some(conf.getConf(MuntinConf.SplitForceSeed)) else None
    val cuts = new ChunkCuts(
      wanted.filter(_._2 > 1),
      ShuffleSlices(stage, sparkContext.defaultParallelism),
      read(_),
      sortOrder,
      keys,
      output,
      halo,
      seed
    ).found.iterator
    val cut = wanted.map { case (_, n) =>
      if (n > 1) Chunk.between(cuts.next()) else Seq(Chunk.Whole)
    }
    report(cut)
    cut
  }

  private def report(cut: Seq[Seq[Chunk]]): Unit = {
    val split = cut.filter(_.size > 1)
    longMetric("numSplitPartitions").set(split.size.toLong)
    longMetric("numChunks").set(split.map(_.size).sum.toLong)
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
  }

  /** The rows of each task's chunk and of its halo. */
  override protected def doExecute(): RDD[InternalRow] = {
    val chunkOf = rowsOfTasks
    readTasks.mapPartitionsWithIndexInternal { (task, rows) =>
      chunkOf(task).fold(rows)(chunk => rows.filter(chunk.contains))
    }
  }

  /** What comes before them, of the partition of the first of them, in no order; None where nothing reads it. */
  def executeEarlier(): Option[RDD[InternalRow]] =
    if (!halo.isPreceded) None
    else {
      val chunkOf = rowsOfTasks
      Some(readTasks.mapPartitionsWithIndexInternal { (task, rows) =>
        chunkOf(task).filter(_.hasEarlier)
          .fold(Iterator.empty: Iterator[InternalRow])(chunk => rows.filter(chunk.isEarlier))
      })
    }

  /** For tasks: which rows are in the chunk of each; None where it has all. */
  def rowsOfTasks: Int => Option[ChunkRows] = {
    val (all, order, partitionKeys, input) = (cut.flatten.toArray, sortOrder, keys, output)
    task =>
      if (all(task) == Chunk.Whole) None
      else Some(new ChunkRows(all(task), new CutOrder(order, partitionKeys, input)))
  }

  private def readTasks: RDD[InternalRow] =
    read(specs.zip(cut).flatMap { case (spec, of) => of.map(_ => spec) })

  override protected def stringArgs: Iterator[Any] = Iterator(
    s"$numSplit of ${specs.size} partitions split into ${chunksOfSpecs.filter(_ > 1).sum} chunks"
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SplitReadExec =
    copy(child = newChild)
}

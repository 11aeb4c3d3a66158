package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  PartialMapperPartitionSpec,
  SQLExecution,
  ShufflePartitionSpec,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Reads the partitions of a shuffle, of which some are split: what would be one task's is read by one task for
 * each chunk, which passes on what is in its chunk and in the halo of that, for a sort above.
 *
 * Every chunk's task reads all rows of the partition, which takes a small part of what it takes to sort
 * them, and so they come to the sort in the order in which they would come to it unsplit. As it does, it counts
 * them: how many come before the halo, and whether there are enough in the halo, which ends where a sample
 * suggests. If not, it reads them again, for those that are missing: no cut is between peers, so which of
 * these comes first stays as it would be.
 *
 * `reach`: where the rows are of one of the two sides of window_by.
 */
case class SplitReadExec(
    child: SparkPlan,
    specs: Seq[CoalescedPartitionSpec],
    chunksOfSpecs: Seq[Seq[Chunk]],
    sortOrder: Seq[SortOrder],
    keys: Int,
    halo: Halo,
    reach: SplitReadExec.Reach = SplitReadExec.Own
) extends UnaryExecNode {
  private def split = chunksOfSpecs.filter(_.size > 1)

  override def nodeName: String = "MuntinSplitRead"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = UnknownPartitioning(chunksOfSpecs.map(_.size).sum)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numSplitPartitions" -> SQLMetrics.createMetric(sparkContext, "number of split partitions"),
    "numChunks" -> SQLMetrics.createMetric(sparkContext, "number of chunks"),
    "numRereads" -> SQLMetrics.createMetric(sparkContext, "number of chunks read again")
  )

  /** Which rows are in the chunk of each task. */
  @transient lazy val chunksOfTasks: ChunksOfTasks = {
    val chunkOf = reach match {
      case SplitReadExec.OfSource(anchors) => (task: Int) => anchors.chunkOfSource(task)
      case _ =>
        val chunks = chunksOfSpecs.flatten.toArray
        (task: Int) => chunks(task)
    }
    new ChunksOfTasks(chunkOf, halo, sortOrder, keys, output)
  }

  /** The rows of each task's chunk and of its halo. */
  override protected def doExecute(): RDD[InternalRow] = {
    report()
    val mappers = shuffle.numMappers
    val ofMappers = for {
      (spec, chunks) <- specs.zip(chunksOfSpecs)
      if chunks.size > 1
      mapper <- 0 until mappers
    } yield PartialMapperPartitionSpec(mapper, spec.startReducerIndex, spec.endReducerIndex)
    val firsts = chunksOfSpecs.scanLeft(0)((at, c) => if (c.size > 1) at + mappers else at)
    val ofTasks = chunksOfSpecs.zip(firsts).flatMap { case (chunks, first) =>
      chunks.map(_ => if (chunks.size > 1) first until first + mappers else 0 until 0)
    }
    val rows = new ChunkReadRDD(
      readAll(),
      read(ofMappers),
      ofTasks.toArray,
      chunksOfTasks,
      longMetric("numRereads")
    )
    reach match {
      case SplitReadExec.OfAnchors(anchors) =>
        rows.mapPartitionsWithIndexInternal(anchors.see(_, _))
      case _ => rows
    }
  }

  private def readAll(): RDD[InternalRow] =
    read(specs.zip(chunksOfSpecs).flatMap { case (spec, of) => of.map(_ => spec) })

  private def read(specs: Seq[ShufflePartitionSpec]): RDD[InternalRow] =
    shuffle.getShuffleRDD(specs.toArray).asInstanceOf[RDD[InternalRow]]

  private def shuffle: ShuffleExchangeLike = child match {
    case stage: ShuffleQueryStageExec => stage.shuffle
    case other => throw new IllegalStateException(s"not a stage: $other")
  }

  private def report(): Unit = {
    longMetric("numSplitPartitions").set(split.size.toLong)
    longMetric("numChunks").set(split.map(_.size).sum.toLong)
    val known = Seq(longMetric("numSplitPartitions"), longMetric("numChunks"))
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, known)
  }

  override protected def stringArgs: Iterator[Any] = Iterator(
    s"${split.size} of ${specs.size} partitions split into ${split.map(_.size).sum} chunks"
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SplitReadExec =
    copy(child = newChild)
}

object SplitReadExec {

  /** How far rows reach. */
  sealed trait Reach

  /** As the halo says. */
  case object Own extends Reach

  /** The anchors of window_by, of which it is seen how far they reach. */
  final case class OfAnchors(anchors: AnchorReach) extends Reach

  /** The rows of the source that these anchors reach. */
  final case class OfSource(anchors: AnchorReach) extends Reach
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.execution.exchange.{Layout, Stripe, StripedRows, SupportsStripes}
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.muntin.execution.sort.SortWords
import org.apache.spark.sql.muntin.spark.{PackedShuffle, WrittenShuffle}

/**
 * Reads the partitions of a shuffle. Some partitions are split. One task per chunk reads a split
 * partition, and passes the chunk's own rows and its halo's rows to a sort above.
 *
 *     unsplit             one task sorts all rows of the partition
 *     3 chunks            3 tasks read all its rows; each passes on, and sorts, about a third
 *     100 chunks          the partition is exchanged by range (RangeExchange); each of 100 tasks
 *                         reads the segments of its chunk and its halo
 *
 * Rows are read in stripes; rows of Spark's own shuffle are converted to stripes when they are
 * read. They reach a chunk's sort in the same order as without the split, and no cut is between
 * peers. So the order of equal rows does not change. A chunk counts the rows before its halo, and
 * the rows in its halo. A sample suggests the end of the halo. If the halo has too few rows, the
 * chunk reads again, for the missing rows (ChunkRows).
 *
 * `reach` determines which rows a chunk reaches, for the two sides of window_by.
 */
case class SplitReadExec(
    child: SparkPlan,
    partitions: Seq[ReadPartition],
    sortOrder: Seq[SortOrder],
    keys: Int,
    halo: Halo,
    reach: SplitReadExec.Reach = SplitReadExec.HaloRows
) extends UnaryExecNode
    with SupportsStripes {
  private def split = partitions.filter(_.isSplit)

  private def exchanged = partitions.filter(_.isExchanged)

  override def nodeName: String = "MuntinSplitRead"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(partitions.map(_.chunks.size).sum)

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext) ++ Map(
    "numSplitPartitions" -> SQLMetrics.createMetric(sparkContext, "number of split partitions"),
    "numChunks" -> SQLMetrics.createMetric(sparkContext, "number of chunks"),
    "numRereads" -> SQLMetrics.createMetric(sparkContext, "number of chunks read again")
  ) ++ (if (exchanged.nonEmpty) ofExchange else Map.empty)

  private def ofExchange = PackedShuffle.metrics(sparkContext) +
    ("numExchanged" -> SQLMetrics.createMetric(sparkContext, "number of exchanged partitions"))

  /** The rows in the chunk of each task. */
  @transient lazy val chunksOfTasks: ChunksOfTasks = {
    val chunkOf = reach match {
      case SplitReadExec.ReachedSource(anchors) => (task: Int) => anchors.chunkOfSource(task)
      case _ =>
        val chunks = partitions.flatMap { p =>
          if (p.isExchanged && halo.requiredMatches.isSome) Chunk.withFurtherHalos(p.chunks, order)
          else p.chunks
        }.toArray
        (task: Int) => chunks(task)
    }
    val isPartial = partitions.flatMap(p => p.chunks.map(_ => p.isExchanged)).toArray
    new ChunksOfTasks(chunkOf, isPartial, halo, sortOrder, keys, output)
  }

  private def order: CutOrder = new CutOrder(sortOrder, keys, output)

  private def layout: Layout = new Layout(output.map(_.dataType))

  // Anchors are recorded row by row.
  override def isStriped: Boolean = !reach.isInstanceOf[SplitReadExec.RecordedAnchors]

  /** Returns the rows of each task's chunk and of its halo. */
  override protected def doExecute(): RDD[InternalRow] = {
    report()
    val rows = StripedRows(stripesOfChunks, layout)
    reach match {
      case SplitReadExec.RecordedAnchors(anchors) =>
        rows.mapPartitionsWithIndex(anchors.record(_, _))
      case _ => rows
    }
  }

  private def stripesOfChunks: RDD[Stripe] = {
    val whole = shuffle.read(partitions.flatMap(p => p.chunks.map(_ => p.of)))
    val written = stripesOf(ofMappers)
    new ChunkReadRDD(
      stripesOf(whole),
      written,
      exchange(written),
      inputs,
      chunksOfTasks,
      picks,
      longMetric("numRereads"),
      longMetric(OperatorMetrics.OutputRows)
    )
  }

  /** Returns rows of the shuffle in stripes. */
  private def stripesOf(rows: RDD[InternalRow]): RDD[Stripe] =
    if (SupportsStripes.isIn(child)) StripedRows.stripes(rows)
    else StripedRows.converted(rows, layout)

  private def picks: ChunkRows => StripePicks = {
    val (order, keysOfOrder, input, ofStripes) = (sortOrder, keys, output, layout)
    // Frames receive whole rows from beyond a halo.
    val readColumns =
      if (halo.isPreceded || halo.isFollowed) AttributeSet(input)
      else halo.requiredColumns(sortOrder)
    val readOrdinals = input.indices.filter(i => readColumns.contains(input(i))).toSet
    new StripePicks(_, ofStripes, SortWords(order, input), keysOfOrder, readOrdinals)
  }

  private def mappers: Int = shuffle.mappers

  /** Returns each mapper's output for each split partition. */
  private def ofMappers: RDD[InternalRow] = shuffle.readOfMappers(for {
    partition <- split
    mapper <- 0 until mappers
  } yield mapper -> partition.of)

  /** Returns the partitions of `ofMappers` that make up a split partition. */
  private def mappersOf(partition: ReadPartition): Range = {
    val first = split.indexWhere(_ eq partition) * mappers
    first until first + mappers
  }

  /** Returns the input of each task. */
  private def inputs: Array[Option[ChunkInput]] = partitions.flatMap { p =>
    val input: Option[ChunkInput] =
      if (p.isExchanged) Some(ChunkInput.FromExchange(exchanged.indexWhere(_ eq p)))
      else if (p.isSplit) Some(ChunkInput.FromMappers(mappersOf(p)))
      else None
    p.chunks.map(_ => input)
  }.toArray

  private def exchange(ofMappers: RDD[Stripe]): Option[RangeExchange] =
    Option.when(exchanged.nonEmpty) {
      val routes = exchanged.zipWithIndex.flatMap { case (p, i) =>
        val first = mappersOf(p).start
        RangeExchange
          .grouped(shuffle.bytesOfMappers(p.of), p.chunks.size)
          .map(r => Route(i, r.start + first until r.end + first))
      }
      RangeExchange(
        ofMappers,
        routes.toArray,
        exchanged.map(p => Segments.of(p.chunks, halo, order)).toArray,
        new RoutedStripes(sortOrder, keys, output, halo.requiredMatches.counted),
        metrics
      )
    }

  private def shuffle: WrittenShuffle = child match {
    case WrittenShuffle(written) => written
    case other => throw new IllegalStateException(s"not a written shuffle: $other")
  }

  private def report(): Unit = {
    longMetric("numSplitPartitions").set(split.size.toLong)
    longMetric("numChunks").set(split.map(_.chunks.size).sum.toLong)
    metrics.get("numExchanged").foreach(_.set(exchanged.size.toLong))
    val reported = Seq("numSplitPartitions", "numChunks", "numExchanged").flatMap(metrics.get(_))
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, reported)
  }

  override protected def stringArgs: Iterator[Any] = Iterator(
    s"${split.size} of ${partitions.size} partitions split into " +
      s"${split.map(_.chunks.size).sum} chunks" +
      (if (exchanged.nonEmpty) s", ${exchanged.size} exchanged by range" else "")
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SplitReadExec =
    copy(child = newChild)
}

/**
 * The partitions `of` a shuffle that one task reads, or that several tasks read in chunks. If it
 * `isExchanged`, it is split, and its rows are exchanged by range first.
 */
final case class ReadPartition(of: Range, chunks: Seq[Chunk], isExchanged: Boolean) {
  def isSplit: Boolean = chunks.size > 1
}

object SplitReadExec {

  /** Which rows outside of a chunk the rows of the chunk reach. */
  sealed trait Reach

  /** The rows of the halo. */
  case object HaloRows extends Reach

  /** The rows are anchors of window_by: `anchors` records their reach while they are read. */
  final case class RecordedAnchors(anchors: AnchorReach) extends Reach

  /** The rows are the source rows of window_by that the anchors of a chunk reach. */
  final case class ReachedSource(anchors: AnchorReach) extends Reach
}

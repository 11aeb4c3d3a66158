package org.apache.spark.sql.muntin.execution.split

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.execution.exchange.{Layout, Stripe, StripedRows}
import org.apache.spark.sql.muntin.execution.sort.SortWords
import org.apache.spark.sql.muntin.spark.{OwnShuffle, WrittenShuffle}

/**
 * Reads the partitions of a shuffle, of which some are split. A split partition is read by one task
 * for each chunk, which passes on the chunk's own rows and those of its halo, to a sort above.
 *
 *     unsplit             one task sorts all rows of the partition
 *     3 chunks            3 tasks read all its rows each; each passes on, and sorts, about a third
 *     100 chunks          the partition is exchanged by range (RangeExchange); each of 100 tasks
 *                         reads the segments that its chunk and its halo are made of
 *
 * Rows come to the sort of a chunk in the order in which they would come to it unsplit, and no cut
 * is between peers: so the order of equal rows stays as it would be. A chunk counts the rows before
 * its halo, and the rows in its halo. Where the halo, whose end a sample suggests, holds too few
 * rows, the chunk reads again, for the rows that are missing (ChunkRows).
 *
 * `reach` says which rows a chunk reaches, for the two sides of window_by.
 */
case class SplitReadExec(
    child: SparkPlan,
    ranges: Seq[Range],
    chunksOfRanges: Seq[Seq[Chunk]],
    sortOrder: Seq[SortOrder],
    keys: Int,
    halo: Halo,
    reach: SplitReadExec.Reach = SplitReadExec.ByHalo,
    isExchanged: Seq[Boolean] = Nil
) extends UnaryExecNode {
  private def split = chunksOfRanges.filter(_.size > 1)

  override def nodeName: String = "MuntinSplitRead"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(chunksOfRanges.map(_.size).sum)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numSplitPartitions" -> SQLMetrics.createMetric(sparkContext, "number of split partitions"),
    "numChunks" -> SQLMetrics.createMetric(sparkContext, "number of chunks"),
    "numRereads" -> SQLMetrics.createMetric(sparkContext, "number of chunks read again")
  ) ++ (if (isExchanged.contains(true)) ofExchange else Map.empty)

  private def ofExchange = OwnShuffle.metrics(sparkContext) +
    ("numExchanged" -> SQLMetrics.createMetric(sparkContext, "number of exchanged partitions"))

  /** Which rows are in the chunk of each task. */
  @transient lazy val chunksOfTasks: ChunksOfTasks = {
    val chunkOf = reach match {
      case SplitReadExec.OfSource(anchors) => (task: Int) => anchors.chunkOfSource(task)
      case _ =>
        val chunks = chunksOfRanges
          .zipAll(isExchanged, null, false)
          .flatMap { case (of, exchanged) =>
            if (exchanged && halo.sought.isSome) Chunk.withFurtherHalos(of, order) else of
          }
          .toArray
        (task: Int) => chunks(task)
    }
    new ChunksOfTasks(chunkOf, isPartial, halo, sortOrder, keys, output)
  }

  private def order: CutOrder = new CutOrder(sortOrder, keys, output)

  private def isPartial: Array[Boolean] = chunksOfRanges
    .zipAll(isExchanged, null, false)
    .flatMap { case (chunks, exchanged) => chunks.map(_ => exchanged) }
    .toArray

  /**
   * The rows of each task's chunk and of its halo; in stripes, where the shuffle has stripes and
   * nothing else than the sort above reads the rows.
   */
  override protected def doExecute(): RDD[InternalRow] = {
    report()
    val whole =
      shuffle.read(ranges.zip(chunksOfRanges).flatMap { case (range, of) => of.map(_ => range) })
    (reach, whole, ofMappers) match {
      case (SplitReadExec.OfAnchors(anchors), _, _) =>
        rowsOfChunks(whole).mapPartitionsWithIndex(anchors.see(_, _))
      case (_, StripedRows(stripes), StripedRows(written)) if !countsInExchange =>
        val layout = new Layout(output.map(_.dataType))
        StripedRows(stripesOfChunks(stripes, written, layout), layout)
      case _ => rowsOfChunks(whole)
    }
  }

  // For that rows have to be made.
  private def countsInExchange: Boolean =
    isExchanged.contains(true) && halo.sought.counted.nonEmpty

  private def rowsOfChunks(whole: RDD[InternalRow]): RDD[InternalRow] = read(
    whole,
    ofMappers,
    new RoutedRows(sortOrder, keys, output, halo.sought.counted),
    (chunk: ChunkRows) => new RowPicks(chunk)
  )

  private def stripesOfChunks(
      whole: RDD[Stripe],
      written: RDD[Stripe],
      layout: Layout
  ): RDD[Stripe] = {
    val (order, keysOfOrder, input) = (sortOrder, keys, output)
    // Rows beyond a halo go to frames, whole.
    val asked =
      if (halo.isPreceded || halo.isFollowed) AttributeSet(input) else halo.asksFor(sortOrder)
    val looksAt = input.indices.filter(i => asked.contains(input(i))).toSet
    val picks = (chunk: ChunkRows) =>
      new StripePicks(chunk, layout, SortWords(order, input), keysOfOrder, looksAt)
    read(whole, written, new RoutedStripes(sortOrder, keys, output), picks)
  }

  private def read[A >: Null <: AnyRef: ClassTag](
      whole: RDD[A],
      written: RDD[A],
      form: RoutedForm[A],
      picks: ChunkRows => ChunkPicks[A]
  ): RDD[A] = new ChunkReadRDD(
    whole,
    written,
    exchange(written, form),
    inputs,
    chunksOfTasks,
    picks,
    longMetric("numRereads")
  )

  private def mappers: Int = shuffle.mappers

  // The partitions that are split.
  private def partitions: Seq[SplitPartition] =
    ranges
      .zip(chunksOfRanges)
      .zipAll(isExchanged, null, false)
      .collect {
        case ((range, chunks), exchanged) if chunks.size > 1 =>
          SplitPartition(range, chunks, exchanged)
      }

  /** What each mapper wrote of each split partition. */
  private lazy val ofMappers: RDD[InternalRow] = shuffle.readOfMappers(for {
    partition <- partitions
    mapper <- 0 until mappers
  } yield mapper -> partition.of)

  /** Where each task gets its rows from. */
  private def inputs: Array[Option[ChunkInput]] = {
    val exchanged = partitions.scanLeft(0)((at, p) => if (p.isExchanged) at + 1 else at)
    val ofPartitions = partitions.zip(exchanged).zipWithIndex.iterator.map {
      case ((p, at), _) if p.isExchanged => ChunkInput.FromExchange(at)
      case (_, i) => ChunkInput.FromMappers(i * mappers until (i + 1) * mappers)
    }
    chunksOfRanges.flatMap { chunks =>
      val input = Option.when(chunks.size > 1)(ofPartitions.next())
      chunks.map(_ => input)
    }.toArray
  }

  private def exchange[A: ClassTag](
      written: RDD[A],
      form: RoutedForm[A]
  ): Option[RangeExchange[A]] = Option.when(partitions.exists(_.isExchanged)) {
    val exchanged = partitions.zipWithIndex.filter(_._1.isExchanged)
    val routes = exchanged.zipWithIndex.flatMap { case ((p, i), of) =>
      RangeExchange
        .grouped(shuffle.bytesOfMappers(p.of), p.chunks.size)
        .map(r => Route(of, r.start + i * mappers until r.end + i * mappers))
    }
    RangeExchange(
      written,
      routes.toArray,
      exchanged.map { case (p, _) => Segments.of(p.chunks, halo, order) }.toArray,
      form,
      halo.sought.counted.size,
      metrics
    )
  }

  private def shuffle: WrittenShuffle = child match {
    case WrittenShuffle(written) => written
    case other => throw new IllegalStateException(s"not a shuffle that is written: $other")
  }

  private def report(): Unit = {
    longMetric("numSplitPartitions").set(split.size.toLong)
    longMetric("numChunks").set(split.map(_.size).sum.toLong)
    val exchanged = metrics.get("numExchanged").toSeq
    exchanged.foreach(_.set(partitions.count(_.isExchanged).toLong))
    val known = Seq(longMetric("numSplitPartitions"), longMetric("numChunks")) ++ exchanged
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, known)
  }

  override protected def stringArgs: Iterator[Any] = Iterator(
    s"${split.size} of ${ranges.size} partitions split into ${split.map(_.size).sum} chunks" +
      (if (isExchanged.contains(true)) s", ${isExchanged.count(identity)} exchanged by range"
       else "")
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SplitReadExec =
    copy(child = newChild)
}

/** Partitions `of` a shuffle that one task would have read, and that are split together. */
private final case class SplitPartition(of: Range, chunks: Seq[Chunk], isExchanged: Boolean)

object SplitReadExec {

  /** Which rows outside of a chunk the rows of the chunk reach. */
  sealed trait Reach

  /** The rows that the halo says. */
  case object ByHalo extends Reach

  /** The rows are anchors of window_by: as they are read, `anchors` notes how far they reach. */
  final case class OfAnchors(anchors: AnchorReach) extends Reach

  /** The rows are those of the source of window_by that the anchors of a chunk reach. */
  final case class OfSource(anchors: AnchorReach) extends Reach
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Dependency, OneToOneDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.Stripe

/** The input of a chunk's task. */
private[split] sealed trait ChunkInput

private[split] object ChunkInput {

  /**
   * All rows of the partition, as mappers have written them: the partitions `of` the RDD
   * `ofMappers`.
   */
  final case class FromMappers(of: Range) extends ChunkInput

  /** Segments of the partition at `index` of the exchange. */
  final case class FromExchange(index: Int) extends ChunkInput
}

/** The rows from which a chunk is picked, as often as the chunk reads them. */
private[split] trait ChunkSource {
  def read(): Iterator[Stripe]

  /** Ends the reads: the chunk is complete. */
  def end(): Unit
}

/**
 * Reads the rows of each task's chunk and of its halo. It picks them from all rows of a partition,
 * or from segments of it, and reads again if the halo turns out too small. `shuffle` has a
 * partition for each task, in which the rows of all mappers are in order of arrival.
 *
 * All chunks of a partition must read its rows in the same order, so that equal rows have the same
 * order in each of the chunks. So chunks read the partition mapper by mapper, or from an `exchange`
 * that has read it in this way.
 *
 * `inputs`: for each task; None if the task has whole partitions. `picks`: picks rows in one pass
 * of a chunk.
 */
private[split] final class ChunkReadRDD(
    shuffle: RDD[Stripe],
    ofMappers: RDD[Stripe],
    exchange: Option[RangeExchange],
    inputs: Array[Option[ChunkInput]],
    chunks: ChunksOfTasks,
    picks: ChunkRows => StripePicks,
    rereads: SQLMetric,
    outputRows: SQLMetric
) extends RDD[Stripe](shuffle.context, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] =
    new OneToOneDependency(shuffle) +: exchange.map(_.dependency).toSeq

  override protected def getPartitions: Array[Partition] =
    firstParent[Stripe].partitions.zip(inputs).map {
      case (whole, Some(ChunkInput.FromMappers(of))) =>
        new ChunkPartition(whole, of.map(ofMappers.partitions(_)).toArray)
      case (whole, _) => new ChunkPartition(whole, Array.empty)
    }

  override def compute(split: Partition, context: TaskContext): Iterator[Stripe] = {
    val partition = split.asInstanceOf[ChunkPartition]
    def read(chunk: ChunkRows, source: ChunkSource) =
      new ChunkRead(chunk, source, picks, rereads)
    val stripes = (chunks.read(split.index), inputs(split.index), exchange) match {
      case (Some(chunk), Some(ChunkInput.FromExchange(index)), Some(ranges)) =>
        read(chunk, ranges.source(index, chunk, chunks.order, context))
      case (Some(chunk), _, _) =>
        read(chunk, new MapperSource(ofMappers, partition.ofMappers, context))
      case _ => firstParent[Stripe].iterator(partition.whole, context)
    }
    stripes.map { stripe =>
      outputRows += stripe.rows
      stripe
    }
  }
}

/** Reads all rows of the partition, mapper by mapper. */
private final class MapperSource(
    stripes: RDD[Stripe],
    ofMappers: Array[Partition],
    context: TaskContext
) extends ChunkSource {
  override def read(): Iterator[Stripe] =
    new StripesOfMappers(ofMappers.iterator.map(stripes.iterator(_, context)))

  override def end(): Unit = ()
}

private final class ChunkPartition(val whole: Partition, val ofMappers: Array[Partition])
    extends Partition {
  override def index: Int = whole.index
}

/** Picks a chunk's rows from all rows of its source. */
private final class ChunkRead(
    chunk: ChunkRows,
    source: ChunkSource,
    picksOf: ChunkRows => StripePicks,
    rereads: SQLMetric
) extends Iterator[Stripe] {
  private var stripes: Iterator[Stripe] = _
  private var picks: StripePicks = _
  private var taken: Stripe = _
  begin()

  private def begin(): Unit = {
    stripes = source.read()
    picks = picksOf(chunk)
  }

  override def hasNext: Boolean = {
    while (taken == null && stripes != null)
      if (stripes.hasNext) taken = picks.of(stripes.next())
      else if (chunk.needsAnotherPass()) {
        rereads += 1
        begin()
      } else {
        source.end()
        stripes = null
      }
    taken != null
  }

  override def next(): Stripe = {
    if (!hasNext) throw new NoSuchElementException
    val stripe = taken
    taken = null
    stripe
  }
}

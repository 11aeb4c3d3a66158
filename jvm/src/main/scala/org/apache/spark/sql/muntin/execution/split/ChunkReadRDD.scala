package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Dependency, OneToOneDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/** Where the task of a chunk gets its rows from. */
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

/** The rows that a chunk is picked out of, as often as the chunk asks for them. */
private[split] trait ChunkSource {
  def read(): Iterator[InternalRow]

  /** The chunk is complete, and asks for no more rows. */
  def end(): Unit
}

/**
 * The rows of each task's chunk, and of its halo, picked out of all rows of a partition, or out of
 * segments of it, which are read again where the halo turns out too small.
 *
 * `shuffle` has a partition for each task, in which the rows of all mappers come as they arrive.
 * All chunks of a partition have to see its rows in the same order, so that equal rows have the
 * same order in each of the chunks. So chunks read the partition mapper by mapper, or from an
 * `exchange` that has read it in this way. `inputs`: for each task; None where the task has whole
 * partitions.
 */
private[split] final class ChunkReadRDD(
    shuffle: RDD[InternalRow],
    ofMappers: RDD[InternalRow],
    exchange: Option[RangeExchange],
    inputs: Array[Option[ChunkInput]],
    chunks: ChunksOfTasks,
    rereads: SQLMetric
) extends RDD[InternalRow](shuffle.context, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] =
    new OneToOneDependency(shuffle) +: exchange.map(_.dependency).toSeq

  override protected def getPartitions: Array[Partition] =
    firstParent[InternalRow].partitions.zip(inputs).map {
      case (whole, Some(ChunkInput.FromMappers(of))) =>
        new ChunkPartition(whole, of.map(ofMappers.partitions(_)).toArray)
      case (whole, _) => new ChunkPartition(whole, Array.empty)
    }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val partition = split.asInstanceOf[ChunkPartition]
    (chunks.read(split.index), inputs(split.index), exchange) match {
      case (Some(chunk), Some(ChunkInput.FromExchange(index)), Some(ranges)) =>
        new ChunkRead(chunk, ranges.source(index, chunk, chunks.order, context), rereads)
      case (Some(chunk), _, _) =>
        new ChunkRead(chunk, new MapperSource(ofMappers, partition.ofMappers, context), rereads)
      case _ => firstParent[InternalRow].iterator(partition.whole, context)
    }
  }
}

/** All rows that mappers have written, mapper by mapper. */
private final class MapperSource(
    rows: RDD[InternalRow],
    ofMappers: Array[Partition],
    context: TaskContext
) extends ChunkSource {
  override def read(): Iterator[InternalRow] =
    new RowsOfMappers(ofMappers.iterator.map(rows.iterator(_, context)))

  override def end(): Unit = ()
}

private final class ChunkPartition(val whole: Partition, val ofMappers: Array[Partition])
    extends Partition {
  override def index: Int = whole.index
}

/** The rows that a chunk takes, out of all rows of its source. */
private final class ChunkRead(
    chunk: ChunkRows,
    source: ChunkSource,
    rereads: SQLMetric
) extends Iterator[InternalRow] {
  private var rows = source.read()
  private var taken: InternalRow = _

  override def hasNext: Boolean = {
    while (taken == null && rows != null)
      if (rows.hasNext) {
        val row = rows.next()
        if (chunk.takes(row)) taken = row
      } else if (chunk.comeAgain()) {
        rereads += 1
        rows = source.read()
      } else {
        source.end()
        rows = null
      }
    taken != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = taken
    taken = null
    row
  }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Dependency, OneToOneDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * How the tasks of a partition that is split get their rows; `index`: of all that get them that
 * way.
 */
private[split] sealed trait ChunkRoute

private[split] object ChunkRoute {

  /** All of it, as mappers have written it: these of `ofMappers`. */
  final case class Mappers(of: Range) extends ChunkRoute

  /** Segments of the partition at `index` of the exchange. */
  final case class Segments(index: Int) extends ChunkRoute
}

/** Where a chunk's rows come from, as often as it asks for some. */
private[split] trait ChunkSource {
  def read(): Iterator[InternalRow]

  /** It has asked for the last time. */
  def end(): Unit
}

/**
 * The rows of each task's chunk, and of its halo, out of all rows of a partition, or out of
 * segments of it: read more than once where it takes that.
 *
 * `shuffle` has a partition for each task, in which what mappers wrote comes as it arrives. All
 * chunks of a partition have to see it in one order, so that of rows that are equal in their order,
 * and in the halos of some chunks, the same come first: they read it mapper by mapper, or as an
 * `exchange` has read it so. `routes`: of each task, none where it has whole partitions.
 */
private[split] final class ChunkReadRDD(
    shuffle: RDD[InternalRow],
    ofMappers: RDD[InternalRow],
    exchange: Option[RangeExchange],
    routes: Array[Option[ChunkRoute]],
    chunks: ChunksOfTasks,
    rereads: SQLMetric
) extends RDD[InternalRow](shuffle.context, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] =
    new OneToOneDependency(shuffle) +: exchange.map(_.dependency).toSeq

  override protected def getPartitions: Array[Partition] =
    firstParent[InternalRow].partitions.zip(routes).map {
      case (whole, Some(ChunkRoute.Mappers(of))) =>
        new ChunkPartition(whole, of.map(ofMappers.partitions(_)).toArray)
      case (whole, _) => new ChunkPartition(whole, Array.empty)
    }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val partition = split.asInstanceOf[ChunkPartition]
    (chunks.read(split.index), routes(split.index), exchange) match {
      case (Some(chunk), Some(ChunkRoute.Segments(index)), Some(ranges)) =>
        new ChunkRead(chunk, ranges.source(index, chunk, chunks.order, context), rereads)
      case (Some(chunk), _, _) =>
        new ChunkRead(chunk, new MapperSource(ofMappers, partition.ofMappers, context), rereads)
      case _ => firstParent[InternalRow].iterator(partition.whole, context)
    }
  }
}

/** All rows that mappers have written, in their order. */
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

/** What a chunk takes of rows that are read as often as it asks for. */
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

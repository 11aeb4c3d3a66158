package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The rows of each task's chunk, and of its halo, out of all rows of a partition: read more than once where it takes that.
 *
 * `shuffle` has a partition for each task, in which what mappers wrote comes as it arrives. All chunks of
 * a partition have to see it in one order, so that of rows that are equal in their order, and in the halos of some
 * chunks, the same come first: they read it mapper by mapper, `ofMappers`.
 */
final class ChunkReadRDD(
    shuffle: RDD[InternalRow],
    ofMappers: RDD[InternalRow],
    mappersOfTasks: Array[Range],
    chunks: ChunksOfTasks,
    rereads: SQLMetric
) extends RDD[InternalRow](shuffle) {

  override protected def getPartitions: Array[Partition] =
    firstParent[InternalRow].partitions.zip(mappersOfTasks).map { case (whole, mappers) =>
      new ChunkPartition(whole, mappers.map(ofMappers.partitions(_)).toArray)
    }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val partition = split.asInstanceOf[ChunkPartition]
    def rows =
      new RowsOfMappers(partition.ofMappers.iterator.map(ofMappers.iterator(_, context)))
    chunks.read(split.index) match {
      case None => firstParent[InternalRow].iterator(partition.whole, context)
      case Some(chunk) => new ChunkRead(chunk, () => rows, rereads)
    }
  }
}

private final class ChunkPartition(val whole: Partition, val ofMappers: Array[Partition])
    extends Partition {
  override def index: Int = whole.index
}

/** One after the other, some opened ahead of time, since each begins to fetch what it reads when it is opened. */
private final class RowsOfMappers(readers: Iterator[Iterator[InternalRow]])
    extends Iterator[InternalRow] {
  private val opened = mutable.Queue.empty[Iterator[InternalRow]]
  private var rows: Iterator[InternalRow] = Iterator.empty
  open()

  override def hasNext: Boolean = {
    while (!rows.hasNext && opened.nonEmpty) {
      rows = opened.dequeue()
      open()
    }
    rows.hasNext
  }

  private def open(): Unit =
    while (opened.size < RowsOfMappers.Ahead && readers.hasNext) opened += readers.next()

  override def next(): InternalRow = rows.next()
}

private object RowsOfMappers {
  private val Ahead = 4
}

/** What a chunk takes of rows that are read as often as it asks for. */
private final class ChunkRead(
    chunk: ChunkRows,
    read: () => Iterator[InternalRow],
    rereads: SQLMetric
) extends Iterator[InternalRow] {
  private var rows = read()
  private var taken: InternalRow = _

  override def hasNext: Boolean = {
    while (taken == null && rows != null)
      if (rows.hasNext) {
        val row = rows.next()
        if (chunk.takes(row)) taken = row
      } else if (chunk.comeAgain()) {
        rereads += 1
        rows = read()
      } else rows = null
    taken != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = taken
    taken = null
    row
  }
}

package org.apache.spark.sql.muntin.execution

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/** The rows of each task's chunk, and of its halo, out of all rows of a partition: read more than once where it takes that. */
final class ChunkReadRDD(all: RDD[InternalRow], chunks: ChunksOfTasks, rereads: SQLMetric)
    extends RDD[InternalRow](all) {

  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val read = () => firstParent[InternalRow].iterator(split, context)
    chunks.begin(split.index).fold(read())(new ChunkRead(_, read, rereads))
  }
}

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

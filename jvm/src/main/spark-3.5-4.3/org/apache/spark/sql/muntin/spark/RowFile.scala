package org.apache.spark.sql.muntin.spark

import org.apache.spark.SparkEnv
import org.apache.spark.executor.ShuffleWriteMetrics
import org.apache.spark.util.collection.unsafe.sort.{
  UnsafeSorterSpillReader,
  UnsafeSorterSpillWriter
}

/** Rows on disk, written once in their order: a temporary file among Spark's spills. */
final class RowFile(rows: Int) {
  private val metrics = new ShuffleWriteMetrics
  private val file = new UnsafeSorterSpillWriter(
    SparkEnv.get.blockManager,
    RowFile.BufferBytes,
    metrics,
    rows
  )

  def write(base: AnyRef, offset: Long, size: Int): Unit = file.write(base, offset, size, 0L)

  /** No row follows. */
  def close(): Unit = file.close()

  def writtenBytes: Long = metrics.bytesWritten

  def read(): UnsafeSorterSpillReader = file.getReader(SparkEnv.get.serializerManager)

  def delete(): Unit = file.getFile.delete(): Unit
}

private object RowFile {
  private val BufferBytes = 32 * 1024
}

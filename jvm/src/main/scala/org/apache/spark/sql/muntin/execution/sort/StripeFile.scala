package org.apache.spark.sql.muntin.execution.sort

import java.io.{BufferedInputStream, BufferedOutputStream, FileInputStream, FileOutputStream}

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.serializer.DeserializationStream
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.{
  Layout,
  Stripe,
  StripeBuilders,
  StripeSerializer,
  Stripes
}
import org.apache.spark.sql.muntin.execution.rows.DiskErrors
import org.apache.spark.sql.muntin.spark.SpillBlock

/**
 * Stores rows on disk, written once in their order and read in the same order, column by column as
 * the exchange writes them: in a temporary file among Spark's own, compressed and encrypted as
 * Spark's spills are.
 */
private[sort] final class StripeFile(
    layout: Layout,
    block: SpillBlock = SpillBlock.create()
) {
  private val builders = new StripeBuilders(layout, 1)
  // A separate one: files are written while others are read. The metric is not read.
  private val serializer = new StripeSerializer(layout, new SQLMetric("size")).newInstance()
  private val file = explained(new FileOutputStream(block.file))
  private val out = explained {
    serializer.serializeStream(block.write(new BufferedOutputStream(file, StripeFile.Buffer)))
  }
  private var isFinished = false
  private val reads = mutable.ArrayBuffer.empty[DeserializationStream]
  private val mostRows = Stripes.rowsIn(StripeFile.BytesOfStripe, layout)

  /** Adds a row. */
  def write(row: UnsafeRow): Unit = {
    if (
      builders.rows(0) == mostRows || !layout.isFixed &&
      builders.varyingBytes(0) + row.getSizeInBytes > StripeFile.BytesOfStripe
    ) flush()
    builders.reserve(0, 1)
    builders.add(0, row)
  }

  private def flush(): Unit = if (builders.rows(0) > 0) {
    val stripe = builders.take(0)
    explained(out.writeValue(stripe)): Unit
  }

  /** Completes the file: no row follows. */
  def finish(): Unit = {
    flush()
    explained(out.close())
    isFinished = true
  }

  /** Returns how many bytes the file has. */
  def bytes: Long = block.file.length

  /** Returns the rows, after all have been written. */
  def read(): Iterator[Stripe] = {
    val in = explained {
      serializer.deserializeStream(
        block.read(new BufferedInputStream(new FileInputStream(block.file), StripeFile.Buffer))
      )
    }
    reads += in
    val stripes = explained(in.asKeyValueIterator)
    new Iterator[Stripe] {
      override def hasNext: Boolean = stripes.hasNext

      override def next(): Stripe = explained(stripes.next()._2.asInstanceOf[Stripe])
    }
  }

  /** Deletes the file, which is not read or written any more. */
  def delete(): Unit =
    try {
      reads.foreach(_.close())
      if (!isFinished) abandon()
    } finally block.file.delete(): Unit

  // Bytes that are not written yet may not be writable: there is an error already.
  private def abandon(): Unit =
    try Try(out.close()): Unit
    finally file.close()

  private def explained[A](body: => A): A = DiskErrors.explained(block.file)(body)
}

private object StripeFile {
  private val Buffer = 1 << 16

  /** The bytes of rows that are buffered, in memory that is not counted. */
  private val BytesOfStripe = 256L << 10
}

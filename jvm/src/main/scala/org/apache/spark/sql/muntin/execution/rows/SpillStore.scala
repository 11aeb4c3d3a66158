package org.apache.spark.sql.muntin.execution.rows

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, RandomAccessFile}

import scala.collection.mutable

import io.muntin.kernel.memory.PageStore
import org.apache.spark.TaskContext
import org.apache.spark.sql.muntin.spark.SpillBlock

/**
 * Stores pages in temporary files among Spark's own, compressed and encrypted as Spark's spills
 * are. A page is appended to the newest file. A file is deleted when none of its pages is needed,
 * and when the task ends.
 *
 * The place of a page is the number of its file and an offset in it, where the page's size precedes
 * the page.
 */
final class SpillStore(
    context: TaskContext,
    fileBytes: Long = SpillStore.FileBytes,
    newFile: () => SpillBlock = () => SpillBlock.create()
) extends PageStore {
  private val files = mutable.ArrayBuffer.empty[SpillFile]
  private var spilled = 0L

  /** Returns how many bytes have been written, counted as in memory. */
  def spilledBytes: Long = spilled

  override def write(bytes: Array[Byte], inMemory: Long): Long = {
    if (files.isEmpty || files.last.size >= fileBytes) {
      files.lastOption.foreach(_.finish())
      files += new SpillFile(newFile())
    }
    val offset = files.last.append(bytes)
    spilled += inMemory
    context.taskMetrics().incMemoryBytesSpilled(inMemory)
    context.taskMetrics().incDiskBytesSpilled(files.last.size - offset)
    (files.size - 1).toLong << SpillStore.OffsetBits | offset
  }

  override def read(place: Long): Array[Byte] = file(place).read(place & SpillStore.OffsetMask)

  override def free(place: Long): Unit = file(place).free()

  def close(): Unit = files.foreach(_.delete())

  private def file(place: Long): SpillFile = files((place >>> SpillStore.OffsetBits).toInt)
}

private[execution] object SpillStore {
  private val FileBytes = 64L << 20
  private val OffsetBits = 40
  private val OffsetMask = (1L << OffsetBits) - 1L
}

/**
 * One file of pages. It uses no channel: channels are closed when a task's thread is interrupted.
 */
private final class SpillFile(block: SpillBlock) {
  private def path = block.file
  private val file = explained(new RandomAccessFile(path, "rw"))
  private var end = 0L
  private var pages = 0
  private var isFinished = false
  private var isDeleted = false

  def size: Long = end

  def append(bytes: Array[Byte]): Long = explained {
    val buffer = new ByteArrayOutputStream(bytes.length)
    val out = block.write(buffer)
    out.write(bytes)
    out.close()
    val at = end
    file.seek(at)
    file.writeInt(buffer.size)
    file.write(buffer.toByteArray)
    end = at + Integer.BYTES + buffer.size
    pages += 1
    at
  }

  def read(offset: Long): Array[Byte] = explained {
    file.seek(offset)
    val bytes = new Array[Byte](file.readInt())
    file.readFully(bytes)
    val in = block.read(new ByteArrayInputStream(bytes))
    try in.readAllBytes()
    finally in.close()
  }

  /** Frees a page. */
  def free(): Unit = {
    pages -= 1
    if (pages == 0 && isFinished) delete()
  }

  /** Completes the file: no page is appended any more. */
  def finish(): Unit = {
    isFinished = true
    if (pages == 0) delete()
  }

  def delete(): Unit = if (!isDeleted) {
    isDeleted = true
    try file.close()
    finally path.delete(): Unit
  }

  private def explained[A](body: => A): A = DiskErrors.explained(path)(body)
}

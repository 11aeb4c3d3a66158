package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Keeps the rows of a group from the kernel's floor on. A page is read only when its rows must
 * arrive again.
 *
 *     windows of 1,000 rows, 100 rows in each micro-batch
 *     micro-batch 1     positions 0 to 99      page 0
 *     micro-batch 2     positions 100 to 199   page 1
 *     micro-batch 11    floor = 100            page 0 is dropped
 *
 *     windows of 1,000 rows, 10 rows in each micro-batch
 *     micro-batch 7     positions 0 to 69      page 0; until then they were the tail
 *
 *     windows of 20 rows
 *     any micro-batch   floor = end - 20       no page is written: the tail keeps 20 rows
 *
 * At the end of a micro-batch the tail becomes a page if it has 64 rows or more. All of them must
 * still be needed after the floor has moved again by the same distance as in this micro-batch.
 * Within a micro-batch the tail becomes a page if it has 256 rows and at least 128 of them are
 * still needed. So a row is written about once if a micro-batch has many rows of a group, and at
 * most 64 rows are written repeatedly.
 */
final class RetainedRows(state: GroupPages, rows: RowForm)
    extends GroupRows(state, rows, isDense = true) {
  import RetainedRows._

  // The start of each row in the tail.
  private val offsets = new Array[Int](MostInTail)
  // The floor at the end of the previous micro-batch.
  private var floorBefore = 0L

  override def start(group: Array[Byte]): Unit = {
    super.start(group)
    floorBefore = 0L
  }

  override def read(group: Array[Byte], in: StateInput, kernel: StreamKernel): Unit = {
    super.read(group, in, kernel)
    floorBefore = floor
    val written = tailInPlace
    var i = 0
    while (i < inTail) {
      offsets(i) = written.at
      form.skip(written)
      i += 1
    }
  }

  override def add(row: UnsafeRow, kernel: StreamKernel): Unit = {
    if (inTail == MostInTail) {
      cutTail(kernel.floor)
      if (inTail >= MostInTail / 2) seal(last)
    }
    offsets(inTail) = tail.length
    append(last + 1L, row)
  }

  /** Drops the rows of the tail before `from`. */
  private def cutTail(from: Long): Unit = {
    val end = math.min(from - 1L, last)
    if (end > base) {
      val cut = (end - base).toInt
      val left = inTail - cut
      val start = if (left > 0) offsets(cut) else tail.length
      tail.drop(start)
      var i = 0
      while (i < left) {
        offsets(i) = offsets(cut + i) - start
        i += 1
      }
      inTail = left
      base = end
    }
  }

  override def dropUnneeded(kernel: StreamKernel): Unit = {
    floor = math.max(floor, math.min(kernel.floor, last + 1L))
    cutTail(floor)
    while (!pages.isEmpty && pages.peek.key < floor) remove(pages.poll())
    val nextFloor = floor + (floor - floorBefore)
    if (inTail >= LeastInPage && nextFloor <= base + 1L) seal(last)
    floorBefore = floor
  }

  override def count: Long = last + 1L - floor

  override def memory: Long = super.memory + 4L * offsets.length
}

private object RetainedRows {

  /** The tail becomes a page within a micro-batch when it has this many rows. */
  val MostInTail: Int = 256

  /** The tail becomes a page at the end of a micro-batch when it has this many rows. */
  val LeastInPage: Int = 64
}

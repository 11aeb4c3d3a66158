package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that are kept one by one, where a row may stay long after later rows have
 * left: in pages of 128 rows, with the newest rows in the group's head.
 *
 *     pages               rows 0 to 127, rows 128 to 255        head: rows 256 to 270
 *     still needed        5, 130, 200, and 256 to 270
 *     written anew        3 of 256 rows in pages are needed: the pages go, the rows join the head
 *
 * A row that has left stays in its page until more than half of the rows in pages have left. Then
 * the rows that are still needed are taken out of all pages and written anew. So the state is at
 * most twice as large as the rows that are needed, and each row is written at most twice more. Rows
 * that have left do not arrive again.
 */
final class ScatteredRows(state: GroupPages, rows: RowForm) extends GroupRows {
  import ScatteredRows._

  private var group: Array[Byte] = _
  private var firstPage = 0L
  private var nextPage = 0L
  private var pagesBytes = 0L
  // How many rows are in pages, and the position that all of them are below.
  private var paged = 0L
  private var pagedUntil = 0L
  private var newest = new NumberedRows(rows)
  private var limit = MostAdded

  override def start(group: Array[Byte]): Unit = {
    this.group = group
    firstPage = 0L
    nextPage = 0L
    pagesBytes = 0L
    paged = 0L
    pagedUntil = 0L
    newest.clear()
    limit = MostAdded
  }

  override def read(
      group: Array[Byte],
      in: StateInput,
      arrive: (Long, UnsafeRow) => Unit
  ): Unit = {
    start(group)
    firstPage = in.readLong()
    nextPage = in.readLong()
    paged = in.readLong()
    pagedUntil = in.readLong()
    if (firstPage < nextPage) pagesBytes = in.readLong()
    readPages(arrive)
    newest.read(
      in,
      (position, row) => {
        newest.add(position, row)
        arrive(position, row)
      }
    )
  }

  private def readPages(take: (Long, UnsafeRow) => Unit): Unit = {
    var page = firstPage
    while (page < nextPage) {
      newest.read(new StateInput(state.page(group, page)), take)
      page += 1L
    }
  }

  override def add(row: UnsafeRow, kernel: StreamKernel): Unit = {
    if (newest.size >= limit) {
      newest.retain(kernel.positions)
      limit = math.max(MostAdded, 2 * newest.size)
    }
    newest.add(kernel.arrived - 1L, row)
  }

  override def dropUnneeded(kernel: StreamKernel): Unit = {
    val there = kernel.positions
    newest.retain(there)
    if (paged > 2L * NumberedRows.search(there, pagedUntil)) collect(there)
    turn()
  }

  /** Takes the rows that are still needed out of the pages. */
  private def collect(there: Array[Long]): Unit = {
    if (there.length > 0 && there(0) < pagedUntil) {
      val all = new NumberedRows(rows)
      readPages(all.add)
      all.retain(there)
      all.addAll(newest)
      newest = all
    }
    dropPages()
    paged = 0L
  }

  private def turn(): Unit = if (newest.size >= PageRows) {
    var from = 0
    val record = new StateOutput
    while (newest.size - from >= PageRows) {
      record.clear()
      newest.write(from, from + PageRows, record)
      pagesBytes += state.putPage(group, nextPage, record)
      nextPage += 1L
      from += PageRows
    }
    paged += from
    pagedUntil = newest.position(from - 1) + 1L
    newest.dropFirst(from)
  }

  override def count: Long = paged + newest.size

  override def write(out: StateOutput): Unit = {
    out.writeLong(firstPage)
    out.writeLong(nextPage)
    out.writeLong(paged)
    out.writeLong(pagedUntil)
    if (firstPage < nextPage) out.writeLong(pagesBytes)
    newest.write(0, newest.size, out)
  }

  override def memory: Long = newest.memory

  override def drop(): Unit = dropPages()

  private def dropPages(): Unit =
    while (firstPage < nextPage) {
      val taken = pagesBytes / (nextPage - firstPage)
      state.removePage(group, firstPage, taken)
      pagesBytes -= taken
      firstPage += 1L
    }
}

private object ScatteredRows {

  /** How many rows are in a page. */
  val PageRows = 128

  /** So many rows are added before rows that have left already are looked for. */
  val MostAdded = 1024
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that are kept each for as long as it is there itself, where one may stay long
 * after those that came next: in pages of so many rows, and the newest in the group's head.
 *
 * A row that has left stays in its page until there are more such rows than others; then all pages
 * are written anew, without them. So the state is at most twice the rows that are there, and a row
 * is written twice more, at most, than it would be without: what is written anew is paid for by the
 * rows that have left. Those that have left do not arrive again: the kernel knows them by when they
 * end.
 */
final class ScatteredRows(state: StreamState, rows: CompactRows) extends GroupRows {
  import KeptRows.PageRows
  import ScatteredRows._

  private var group: Array[Byte] = _
  private var firstPage = 0L
  private var nextPage = 0L
  private var pagesBytes = 0L
  // The rows in the pages, and the position that all of them are below.
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
      newest.read(new StateInput(state.store.page(group, page)), take)
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

  /** Takes what is there out of the pages. */
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

  /** So many rows come before it is looked for those that have left already. */
  val MostAdded = 1024
}

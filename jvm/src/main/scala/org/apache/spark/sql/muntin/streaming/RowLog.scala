package org.apache.spark.sql.muntin.streaming

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Stores the rows of a group in the state, in the order in which they were appended, each with a
 * key: its position or its time. The newest rows are the tail, which is part of the group's head
 * and is written in each micro-batch. The other rows are in pages. A page is written once and is
 * removed whole.
 *
 * {{{
 *   a page, and the tail    the base, the number of rows, the rows
 *   a row                   its key, as the distance from the key before it (first: from the base)
 *                           its columns (RowForm)
 * }}}
 *
 * If `isDense`, each key is one more than the key before it, and rows are written without keys.
 *
 * Pages are numbered from `firstPage` on: from 0 upward or from -1 downward.
 *
 * Guarded by RowLogSuite.
 */
abstract class RowLog(
    state: GroupPages,
    protected val form: RowForm,
    isDense: Boolean,
    firstPage: Long
) {
  import RowLog._

  private val step = if (firstPage < 0L) -1L else 1L
  private var group: Array[Byte] = _
  protected val pages = new ArrayDeque[Page]
  protected var nextPage: Long = firstPage

  /** How many rows are in pages, and how many in the tail. */
  protected var inPages = 0L
  protected var inTail = 0
  protected val tail = new StateOutput

  /** The key before the first key of the tail, and the last key in the log. */
  protected var base: Long = NoKey
  protected var last: Long = NoKey

  /** Starts a group without state. */
  def start(group: Array[Byte]): Unit = {
    this.group = group
    pages.clear()
    nextPage = firstPage
    inPages = 0L
    last = NoKey
    clearTail()
  }

  /** Sets the key before the first row of an empty log. */
  protected final def startAfter(key: Long): Unit = {
    last = key
    base = key
  }

  /** Returns how many bytes the rows take in memory. */
  def memory: Long = tail.bytes.length + PageMemory * pages.size

  protected final def append(key: Long, row: UnsafeRow): Unit = {
    appendKey(key)
    form.write(row, tail)
  }

  /** Appends a row that is written in `in`; its columns begin at `from` and end before `until`. */
  protected final def appendWritten(key: Long, in: StateInput, from: Int, until: Int): Unit = {
    appendKey(key)
    tail.write(in.view.array, from, until - from)
  }

  private def appendKey(key: Long): Unit = {
    if (!isDense) tail.writeVariable(key - last)
    last = key
    inTail += 1
  }

  /** Returns the key of the row that is written at the input's position. */
  protected final def nextKey(in: StateInput, before: Long): Long =
    if (isDense) before + 1L else before + in.readVariable()

  protected final def clearTail(): Unit = {
    tail.clear()
    inTail = 0
    base = last
  }

  /** Returns the rows of the tail; valid until a row is appended. */
  protected final def tailInPlace: StateInput = new StateInput(tail.bytes)

  /** Visits `count` rows that are written in `in`. */
  protected final def visit(in: StateInput, base: Long, count: Int)(visitor: Visitor): Unit = {
    var key = base
    var left = count
    while (left > 0) {
      key = nextKey(in, key)
      val from = in.at
      form.skip(in)
      val until = in.at
      visitor.visit(key, in, from, until)
      // The visitor may have read rows.
      in.moveTo(until)
      left -= 1
    }
  }

  protected final def visit(page: Page)(visitor: Visitor): Unit = {
    val in = read(page.number)
    visit(in, in.readVariable(), in.readVariable().toInt)(visitor)
  }

  protected final def read(page: Long): StateInput = new StateInput(state.page(group, page))

  /** Returns how many bytes a page takes in the store. */
  protected final def storedBytes(page: StateInput): Long =
    StreamStore.pageBytes(group, page.view.array.length)

  /** Adds a page that the state holds. */
  protected final def found(page: Page): Unit = {
    pages.addLast(page)
    inPages += page.count
  }

  /** Makes the tail a page. */
  protected final def seal(key: Long): Unit = {
    seal(key, base, inTail, 0, tail.length)
    clearTail()
  }

  /** Makes each `rows` rows of the tail a page; fewer rows than these stay in the tail. */
  protected final def sealEach(rows: Int): Unit = if (inTail >= rows) {
    val in = tailInPlace
    var from = 0
    while (inTail >= rows) {
      var key = base
      var i = 0
      while (i < rows) {
        key = nextKey(in, key)
        form.skip(in)
        i += 1
      }
      seal(key, base, rows, from, in.at)
      from = in.at
      base = key
      inTail -= rows
    }
    tail.drop(from)
  }

  private def seal(key: Long, base: Long, count: Int, from: Int, until: Int): Unit = {
    val page = new StateOutput
    page.writeVariable(base)
    page.writeVariable(count.toLong)
    page.write(tail.bytes, from, until - from)
    found(Page(nextPage, key, count, state.putPage(group, nextPage, page)))
    nextPage += step
  }

  /** Removes a page from the state; the caller removes it from `pages`. */
  protected final def remove(page: Page): Unit = {
    state.removePage(group, page.number, page.storedBytes)
    inPages -= page.count
  }

  protected final def writeTail(out: StateOutput): Unit = {
    out.writeVariable(base)
    out.writeVariable(last - base)
    out.writeVariable(inTail.toLong)
    out.writeVariable(tail.length.toLong)
    out.write(tail.bytes, 0, tail.length)
  }

  protected final def readTail(in: StateInput): Unit = {
    base = in.readVariable()
    last = base + in.readVariable()
    inTail = in.readVariable().toInt
    tail.clear()
    tail.writeFrom(in, in.readVariable().toInt)
  }
}

object RowLog {

  /** The key before all keys. */
  private val NoKey = -1L

  /** Roughly how many bytes a Page takes in memory. */
  private val PageMemory = 48L

  /**
   * @param key
   *   in a log of positions the last position in the page; in a log of times the least time
   * @param storedBytes
   *   how many bytes the page takes in the store
   */
  final case class Page(number: Long, key: Long, count: Int, storedBytes: Long)

  /** Receives rows in their written form: the columns begin at `from` and end before `until`. */
  trait Visitor {
    def visit(key: Long, in: StateInput, from: Int, until: Int): Unit
  }
}

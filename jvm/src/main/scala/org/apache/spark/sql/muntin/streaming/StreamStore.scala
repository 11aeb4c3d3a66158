package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.muntin.spark.StatefulExec
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * A partition's state. Each group has a head; pages, by number: full pages of kept rows count up
 * from 0, pages of waiting rows down from -1; and a timer, which says when the group is to be
 * visited again. Timers are in the order of time.
 */
final class StreamStore(store: StateStore) {
  import StreamStore._

  families.foreach { family =>
    store.createColFamilyIfAbsent(
      family.name,
      family.key,
      StatefulExec.Value,
      family.encoder,
      useMultipleValuesPerKey = false,
      isInternal = false
    )
  }

  private val groupKey = new UnsafeRowWriter(1)
  private val pageKey = new UnsafeRowWriter(2)
  private val timerKey = new UnsafeRowWriter(2)
  private val value = new UnsafeRowWriter(1)
  private val open = Array[Byte](1)
  // The key of the partition's totals. No row has one byte; the row of no columns has none.
  private val noGroup = Array[Byte](0)

  /** The head of a group; null where there is none. */
  def head(group: Array[Byte]): Array[Byte] = bytesOf(store.get(keyOf(group), Heads.name))

  def putHead(group: Array[Byte], bytes: Array[Byte], size: Int): Unit =
    store.put(keyOf(group), valueOf(bytes, size), Heads.name)

  def removeHead(group: Array[Byte]): Unit = store.remove(keyOf(group), Heads.name)

  def page(group: Array[Byte], number: Long): Array[Byte] = {
    val found = bytesOf(store.get(keyOf(group, number), Pages.name))
    if (found == null) throw new IllegalStateException(s"page $number of the state is missing")
    found
  }

  def putPage(group: Array[Byte], number: Long, bytes: Array[Byte], size: Int): Unit =
    store.put(keyOf(group, number), valueOf(bytes, size), Pages.name)

  def removePage(group: Array[Byte], number: Long): Unit =
    store.remove(keyOf(group, number), Pages.name)

  /** With `isOpen` the group is also visited in each micro-batch that has marks. */
  def putTimer(time: Long, group: Array[Byte], isOpen: Boolean): Unit =
    store.put(timerOf(time, group), valueOf(open, if (isOpen) 1 else 0), Timers.name)

  def removeTimer(time: Long, group: Array[Byte]): Unit =
    store.remove(timerOf(time, group), Timers.name)

  /**
   * The groups that are to be visited by `bound`, in the order of time; with `isMarked`, also those
   * that are open.
   */
  def due(bound: Long, isMarked: Boolean): Iterator[Array[Byte]] = {
    val groups = mutable.ArrayBuffer.empty[Array[Byte]]
    val timers = store.iterator(Timers.name)
    try {
      var more = timers.hasNext
      while (more) {
        val timer = timers.next()
        val isDue = timer.key.getLong(0) <= bound
        if (isDue || (isMarked && timer.value.getBinary(0).length > 0)) {
          groups += timer.key.getBinary(1)
        }
        more = (isDue || isMarked) && timers.hasNext
      }
    } finally timers.close()
    groups.iterator
  }

  def totals: Array[Byte] = head(noGroup)

  def putTotals(bytes: Array[Byte]): Unit = putHead(noGroup, bytes, bytes.length)

  private def bytesOf(row: UnsafeRow): Array[Byte] = if (row == null) null else row.getBinary(0)

  private def keyOf(group: Array[Byte]): UnsafeRow = {
    groupKey.reset()
    groupKey.write(0, group)
    groupKey.getRow
  }

  private def keyOf(group: Array[Byte], page: Long): UnsafeRow = {
    pageKey.reset()
    pageKey.write(0, group)
    pageKey.write(1, page)
    pageKey.getRow
  }

  private def timerOf(time: Long, group: Array[Byte]): UnsafeRow = {
    timerKey.reset()
    timerKey.write(0, time)
    timerKey.write(1, group)
    timerKey.getRow
  }

  private def valueOf(bytes: Array[Byte], size: Int): UnsafeRow = {
    value.reset()
    value.write(0, bytes, 0, size)
    value.getRow
  }
}

object StreamStore {

  /** The only state store with column families, and with timers in order. */
  val Provider: String = classOf[RocksDBStateStoreProvider].getName

  /** Raised whenever what is written changes so that an older reader cannot follow. */
  val LayoutVersion = 2

  /** The timer of a group that is visited only when there are marks. */
  val NoTime: Long = Long.MaxValue - 1L

  /** How many bytes a head of `size` bytes takes in the store, with its key. */
  def headBytes(group: Array[Byte], size: Int): Long = rowBytes(1, group.length) + rowBytes(1, size)

  /** How many bytes a page of `size` bytes takes in the store, with its key. */
  def pageBytes(group: Array[Byte], size: Int): Long = rowBytes(2, group.length) + rowBytes(1, size)

  /** How many bytes an UnsafeRow takes, one of whose fields is binary. */
  private def rowBytes(fields: Int, binary: Int): Long =
    UnsafeRow.calculateBitSetWidthInBytes(fields) + 8L * fields +
      ByteArrayMethods.roundNumberOfBytesToNearestWord(binary)

  private val group = StructField("group", BinaryType, nullable = false)

  val Heads: StatefulExec.Family = StatefulExec.Family.plain("heads", StructType(Seq(group)))

  val Pages: StatefulExec.Family =
    StatefulExec.Family.plain(
      "pages",
      StructType(Seq(group, StructField("page", LongType, nullable = false)))
    )

  val Timers: StatefulExec.Family = {
    val key = StructType(Seq(StructField("time", LongType, nullable = false), group))
    StatefulExec.Family.ordered("timers", key)
  }

  val families: Seq[StatefulExec.Family] = Seq(Heads, Pages, Timers)
}

package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.muntin.spark.{StateOfPartition, StatefulExec}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * Stores a partition's state. Each group has a head, and pages by number: full pages of kept rows
 * count up from 0, pages of buffered rows down from -1. Timers determine the groups' next visits.
 * They have pages of their own, in the order of time. If downstream operators use them, the store
 * also holds the start of each group's oldest open window.
 */
final class StreamStore(state: StateOfPartition, val keepsBegins: Boolean) extends TimerPages {
  import StreamStore._

  families(keepsBegins).foreach(state.open(_))

  private val groupKey = new UnsafeRowWriter(1)
  private val pageKey = new UnsafeRowWriter(2)
  private val timersKey = new UnsafeRowWriter(2)
  private val beginKey = new UnsafeRowWriter(2)
  private val nothing = Array.emptyByteArray
  // The key of the partition's totals. No row has one byte; the row without columns has zero.
  private val noGroup = Array[Byte](0)

  /** Returns the version that the state is read at, which identifies the micro-batch. */
  def version: Long = state.version

  /** Returns the head of a group; null if it has no head. */
  def head(group: Array[Byte]): Array[Byte] = bytesOf(state.get(Heads, keyOf(group)))

  def putHead(group: Array[Byte], bytes: Array[Byte], size: Int): Unit =
    state.put(Heads, keyOf(group), valueOf(bytes, size))

  def removeHead(group: Array[Byte]): Unit = state.remove(Heads, keyOf(group))

  def page(group: Array[Byte], number: Long): Array[Byte] = {
    val found = bytesOf(state.get(Pages, keyOf(group, number)))
    if (found == null) throw new IllegalStateException(s"page $number of the state is missing")
    found
  }

  def putPage(group: Array[Byte], number: Long, bytes: Array[Byte], size: Int): Unit =
    state.put(Pages, keyOf(group, number), valueOf(bytes, size))

  def removePage(group: Array[Byte], number: Long): Unit =
    state.remove(Pages, keyOf(group, number))

  override def putTimers(least: Long, number: Long, bytes: Array[Byte], size: Int): Unit =
    state.put(Timers, timersOf(least, number), valueOf(bytes, size))

  override def removeTimers(least: Long, number: Long): Unit =
    state.remove(Timers, timersOf(least, number))

  override def visitTimers(next: (Long, Long, Array[Byte]) => Boolean): Unit =
    state.visit(Timers)((key, page) => next(key.getLong(0), key.getLong(1), page.getBinary(0)))

  /** Returns all groups. */
  def groups: Iterator[Array[Byte]] = firstGroups(Int.MaxValue).iterator

  /** Returns some groups, at most `count`. */
  def firstGroups(count: Int): Seq[Array[Byte]] = {
    val groups = mutable.ArrayBuffer.empty[Array[Byte]]
    state.visit(Heads) { (key, _) =>
      val group = key.getBinary(0)
      if (!java.util.Arrays.equals(group, noGroup)) groups += group
      groups.size < count
    }
    groups.toSeq
  }

  /** Returns all heads, with their groups. */
  def heads: Iterator[(Array[Byte], Array[Byte])] = state.pairs(Heads)
    .map { case (key, head) => (key.getBinary(0), head.getBinary(0)) }
    .filter { case (group, _) => !java.util.Arrays.equals(group, noGroup) }

  /** Returns all pages of rows: the group, the number, the page. */
  def pages: Iterator[(Array[Byte], Long, Array[Byte])] =
    state.pairs(Pages).map { case (key, page) =>
      (key.getBinary(0), key.getLong(1), page.getBinary(0))
    }

  /** Returns all pages of timers. */
  def timerPages: Iterator[Array[Byte]] = state.pairs(Timers).map(_._2.getBinary(0))

  /** Returns the starts of groups. */
  def begins: Iterator[(Long, Array[Byte])] =
    state.pairs(Begins).map { case (key, _) => (key.getLong(0), key.getBinary(1)) }

  def putBegin(begin: Long, group: Array[Byte]): Unit =
    state.put(Begins, beginOf(begin, group), valueOf(nothing, 0))

  def removeBegin(begin: Long, group: Array[Byte]): Unit =
    state.remove(Begins, beginOf(begin, group))

  /**
   * Returns the start of the oldest open window of all groups; Long.MaxValue if no window is open.
   */
  def leastBegin: Long = {
    var least = Long.MaxValue
    state.visit(Begins) { (begin, _) =>
      least = begin.getLong(0)
      false
    }
    least
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

  private def timersOf(least: Long, number: Long): UnsafeRow = {
    timersKey.reset()
    timersKey.write(0, least)
    timersKey.write(1, number)
    timersKey.getRow
  }

  private def beginOf(begin: Long, group: Array[Byte]): UnsafeRow = {
    beginKey.reset()
    beginKey.write(0, begin)
    beginKey.write(1, group)
    beginKey.getRow
  }

  // Copied into an array of its exact length: otherwise Spark's store would copy it again.
  private def valueOf(bytes: Array[Byte], size: Int): UnsafeRow = {
    val fixed = rowBytes(1, 0).toInt
    val value = UnsafeRow.createFromByteArray(rowBytes(1, size).toInt, 1)
    value.setLong(0, (fixed.toLong << 32) | size.toLong)
    Platform.copyMemory(
      bytes,
      Platform.BYTE_ARRAY_OFFSET.toLong,
      value.getBaseObject,
      value.getBaseOffset + fixed,
      size.toLong
    )
    value
  }
}

object StreamStore {

  /** Raised whenever a change of the layout would break an older reader. */
  val LayoutVersion = 7

  /** The timer of a group that only marks cause to be visited. */
  val NoTime: Long = Long.MaxValue - 1L

  /** Returns how many bytes a head of `size` bytes takes in the store, with its key. */
  def headBytes(group: Array[Byte], size: Int): Long = rowBytes(1, group.length) + rowBytes(1, size)

  /** Returns how many bytes a page of `size` bytes takes in the store, with its key. */
  def pageBytes(group: Array[Byte], size: Int): Long = rowBytes(2, group.length) + rowBytes(1, size)

  /** Returns how many bytes an UnsafeRow with one binary field takes. */
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

  private val time = StructField("time", LongType, nullable = false)

  val Timers: StatefulExec.Family = StatefulExec.Family.ordered(
    "timers",
    StructType(Seq(time, StructField("page", LongType, nullable = false)))
  )

  val Begins: StatefulExec.Family =
    StatefulExec.Family.ordered("begins", StructType(Seq(time, group)))

  def families(keepsBegins: Boolean): Seq[StatefulExec.Family] =
    Seq(Heads, Pages, Timers) ++ Option.when(keepsBegins)(Begins)
}

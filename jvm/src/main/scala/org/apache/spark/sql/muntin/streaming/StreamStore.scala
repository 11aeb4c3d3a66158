package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.muntin.spark.{StateOfPartition, StatefulExec}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * A partition's state. Each group has a head; pages, by number: full pages of kept rows count up
 * from 0, pages of waiting rows down from -1; and a timer, which says when the group is to be
 * visited again. Timers are in the order of time. Where operators above go by them, so is when the
 * oldest open window of each group begins.
 */
final class StreamStore(state: StateOfPartition, keepsBegins: Boolean) {
  import StreamStore._

  families(keepsBegins).foreach(state.open(_))

  private val groupKey = new UnsafeRowWriter(1)
  private val pageKey = new UnsafeRowWriter(2)
  private val timerKey = new UnsafeRowWriter(2)
  private val open = Array[Byte](1)
  private val clock = java.nio.ByteBuffer.allocate(8)
  // The key of the partition's totals. No row has one byte; the row of no columns has none.
  private val noGroup = Array[Byte](0)

  /** The head of a group; null where there is none. */
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

  /**
   * With `isOpen` the group is also visited in each micro-batch that has marks; with `openedAt`,
   * when the windows are to be closed that opened at this clock.
   */
  def putTimer(time: Long, group: Array[Byte], isOpen: Boolean, openedAt: Option[Long]): Unit = {
    val value = openedAt.fold(valueOf(open, if (isOpen) 1 else 0)) { at =>
      valueOf(clock.putLong(0, at).array, 8)
    }
    state.put(Timers, timerOf(time, group), value)
  }

  def removeTimer(time: Long, group: Array[Byte]): Unit =
    state.remove(Timers, timerOf(time, group))

  /**
   * The groups that are to be visited by `bound`, in the order of time; with `isMarked`, also those
   * that are open; with `openedBy`, also those with windows that opened at this clock or before.
   */
  def due(bound: Long, isMarked: Boolean, openedBy: Option[Long]): Iterator[Array[Byte]] = {
    val groups = mutable.ArrayBuffer.empty[Array[Byte]]
    state.visit(Timers) { (timer, value) =>
      val isDue = timer.getLong(0) <= bound
      def isOld = openedBy.exists(clock => openedAt(value).exists(_ <= clock))
      if (isDue || (isMarked && value.getBinary(0).length > 0) || isOld) {
        groups += timer.getBinary(1)
      }
      isDue || isMarked || openedBy.isDefined
    }
    groups.iterator
  }

  /** All groups. */
  def groups: Iterator[Array[Byte]] = {
    val groups = mutable.ArrayBuffer.empty[Array[Byte]]
    state.visit(Heads) { (key, _) =>
      val group = key.getBinary(0)
      if (!java.util.Arrays.equals(group, noGroup)) groups += group
      true
    }
    groups.iterator
  }

  /** The earliest clock at which windows opened that are open; Long.MaxValue where none is. */
  def oldestClock: Long = {
    var least = Long.MaxValue
    state.visit(Timers) { (_, value) =>
      openedAt(value).foreach(at => least = math.min(least, at))
      true
    }
    least
  }

  def putBegin(begin: Long, group: Array[Byte]): Unit =
    state.put(Begins, timerOf(begin, group), valueOf(open, 0))

  def removeBegin(begin: Long, group: Array[Byte]): Unit =
    state.remove(Begins, timerOf(begin, group))

  /** When the oldest open window of all groups begins; Long.MaxValue where none is open. */
  def leastBegin: Long = {
    var least = Long.MaxValue
    state.visit(Begins) { (begin, _) =>
      least = begin.getLong(0)
      false
    }
    least
  }

  private def openedAt(value: UnsafeRow): Option[Long] = {
    val bytes = value.getBinary(0)
    Option.when(bytes.length == 8)(java.nio.ByteBuffer.wrap(bytes).getLong)
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

  // In an array of its own length: else Spark's store would copy it once more.
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

  /** Raised whenever what is written changes in a way that an older reader cannot follow. */
  val LayoutVersion = 3

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

  private val byTime = StructType(Seq(StructField("time", LongType, nullable = false), group))

  val Timers: StatefulExec.Family = StatefulExec.Family.ordered("timers", byTime)

  val Begins: StatefulExec.Family = StatefulExec.Family.ordered("begins", byTime)

  def families(keepsBegins: Boolean): Seq[StatefulExec.Family] =
    Seq(Heads, Pages, Timers) ++ Option.when(keepsBegins)(Begins)
}

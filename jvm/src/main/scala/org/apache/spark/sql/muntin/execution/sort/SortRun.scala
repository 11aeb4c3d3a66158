package org.apache.spark.sql.muntin.execution.sort

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.muntin.execution.rows.KeyTable
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sorting.{RadixSort, WordSort}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Rows in memory that are added one by one, and then sorted once. Their bytes stay where they are:
 * sorted are their addresses.
 *
 * The idea: a row's group is found when it is added, and groups are sorted instead of rows; rows
 * are brought to their groups by counting, and within each sorted by numbers. Rows of equal keys
 * stay as they came.
 */
private[execution] final class SortRun(
    keys: SortKeys,
    pageMemory: SortMemory,
    arrayMemory: Memory
) {
  private val memory = new SortRun.Counted(arrayMemory)
  private val words = keys.words
  private val pages = new RowPages(keys.inputTypes, pageMemory)
  private val groups = if (keys.groupTypes.isEmpty) null else new KeyTable(keys.groupTypes, memory)

  private var capacity = 0
  private var count = 0
  private var columns = Array.fill(words.size)(Array.emptyLongArray)
  private var missing = if (words.nullable) Array.emptyByteArray else null
  private var anyMissing = 0
  private var groupOf = Array.emptyIntArray
  private var addresses = Array.emptyIntArray

  // What sorting takes for each group.
  private var groupCapacity = 0

  def size: Int = count

  /** There can be no more rows in it. */
  def isFull: Boolean =
    pages.isFull || groups != null && groups.isFull || count == SortRun.MostRows

  /** Adds a row. Where memory is refused, the run has the rows that it had. */
  def add(row: UnsafeRow): Unit = {
    if (count == capacity) grow()
    val group = if (groups == null) 0 else groups.number(keys.group(row))
    if (group >= groupCapacity) growGroups()
    val address = pages.add(row)
    val i = count
    count += 1
    groupOf(i) = group
    addresses(i) = address
    val ordered = keys.ordered(row)
    if (missing != null) {
      val m = words.missing(ordered)
      missing(i) = m.toByte
      anyMissing |= m
    }
    var column = 0
    while (column < columns.length) {
      columns(column)(i) = words.columns(column)(ordered)
      column += 1
    }
  }

  private def grow(): Unit = {
    val next =
      math.min(math.max(SortRun.FewRows, capacity.toLong * 2L), SortRun.MostRows.toLong).toInt
    memory.acquire((next - capacity) * bytesPerRow)
    columns = columns.map(Arrays.copyOf(_, next))
    if (missing != null) missing = Arrays.copyOf(missing, next)
    groupOf = Arrays.copyOf(groupOf, next)
    addresses = Arrays.copyOf(addresses, next)
    capacity = next
  }

  private def growGroups(): Unit = {
    val next = math.max(SortRun.FewRows, groupCapacity * 2)
    memory.acquire((next - groupCapacity) * (SortRun.BytesPerGroup + 8L * keys.groupTypes.size))
    groupCapacity = next
  }

  // With what it takes to sort, so that it can be sorted when no more memory is to be had.
  private def bytesPerRow: Long =
    words.size * 8L + (if (words.nullable) 1L else 0L) + 8L + SortRun.SortingBytesPerRow

  /** The addresses of the rows in their order. */
  private var sorted: Array[Int] = _

  /** Sorts the rows; none can be added any more. */
  def sort(): Unit = {
    val isSingle = words.size == 1
    // Of a single column rows without a value are a group of their own, beside that of the others.
    val apart = if (isSingle && anyMissing != 0) 1 else 0
    val places = groupPlaces()
    val starts = new Array[Int](((places.last + 1) << apart) + 1)
    val missingLast = if (apart == 1 && words.missingFirst == 0) 1 else 0
    var i = 0
    while (i < count) {
      starts(place(places, apart, missingLast, i) + 1) += 1
      i += 1
    }
    var largest = 0
    i = 1
    while (i < starts.length) {
      largest = math.max(largest, starts(i))
      starts(i) += starts(i - 1)
      i += 1
    }
    sorted = new Array[Int](count)
    if (isSingle) sortSingle(places, apart, missingLast, starts, largest)
    else sortByAll(places, starts, largest)
    columns = null
    missing = null
    groupOf = null
    addresses = null
    memory.releaseAllBut(count * 4L)
  }

  private def place(places: Array[Int], apart: Int, missingLast: Int, i: Int): Int = {
    val place = places(groupOf(i)) << apart
    if (apart == 0) place
    else place | (if (missing(i) != 0) missingLast else 1 - missingLast)
  }

  private def sortSingle(
      places: Array[Int],
      apart: Int,
      missingLast: Int,
      starts: Array[Int],
      largest: Int
  ): Unit = {
    val word = columns(0)
    val sortedWords = new Array[Long](count)
    val next = starts.clone()
    var i = 0
    while (i < count) {
      val place = this.place(places, apart, missingLast, i)
      val slot = next(place)
      next(place) = slot + 1
      sortedWords(slot) = word(i)
      sorted(slot) = addresses(i)
      i += 1
    }
    columns = null
    val radix = new RadixSort(largest)
    var group = 0
    while (group < starts.length - 1) {
      // Rows that have no value have no number either.
      val isMissing = apart == 1 && (group & 1) == missingLast
      if (!isMissing) radix.sort(sortedWords, sorted, starts(group), starts(group + 1))
      group += 1
    }
  }

  private def sortByAll(places: Array[Int], starts: Array[Int], largest: Int): Unit = {
    val next = starts.clone()
    var i = 0
    while (i < count) {
      val place = places(groupOf(i))
      sorted(next(place)) = i
      next(place) += 1
      i += 1
    }
    if (words.size > 0) {
      val some = if (anyMissing == 0) null else missing
      val sort = new WordSort(columns, some, words.missingFirst, count, largest)
      var group = 0
      while (group < starts.length - 1) {
        sort.sort(sorted, starts(group), starts(group + 1))
        group += 1
      }
    }
    i = 0
    while (i < count) {
      sorted(i) = addresses(sorted(i))
      i += 1
    }
  }

  /**
   * The place of each group among all, those that are equal in one; and behind them the last place.
   */
  private def groupPlaces(): Array[Int] =
    if (groups == null) Array(0, 0)
    else {
      val places = new Array[Int](groups.size + 1)
      val order = Array.range(0, groups.size)
      val areEqual = keys.groupWords match {
        case Some(ofGroups) => sortByWords(order, ofGroups)
        case None => sortByOrdering(order)
      }
      var place = 0
      var i = 0
      while (i < order.length) {
        if (i > 0 && !areEqual(order(i - 1), order(i))) place += 1
        places(order(i)) = place
        i += 1
      }
      places(groups.size) = place
      places
    }

  private def sortByWords(order: Array[Int], ofGroups: SortWords): (Int, Int) => Boolean = {
    val columns = Array.fill(ofGroups.size)(new Array[Long](order.length))
    val missing = if (ofGroups.nullable) new Array[Byte](order.length) else null
    var i = 0
    while (i < order.length) {
      val group = groups(i)
      var column = 0
      while (column < columns.length) {
        columns(column)(i) = ofGroups.columns(column)(group)
        column += 1
      }
      if (missing != null) missing(i) = ofGroups.missing(group).toByte
      i += 1
    }
    val sort = new WordSort(columns, missing, ofGroups.missingFirst, order.length, order.length)
    sort.sort(order, 0, order.length)
    sort.areEqual
  }

  private def sortByOrdering(order: Array[Int]): (Int, Int) => Boolean = {
    val (left, right) = (new UnsafeRow(keys.groupTypes.size), new UnsafeRow(keys.groupTypes.size))
    def compare(one: Int, other: Int): Int = {
      groups.point(left, one)
      groups.point(right, other)
      keys.groupOrdering.compare(left, right)
    }
    val boxed: Array[Integer] = order.map(Integer.valueOf)
    val comparator: Comparator[Integer] = (one, other) => compare(one, other)
    Arrays.sort(boxed, comparator)
    var i = 0
    while (i < order.length) {
      order(i) = boxed(i)
      i += 1
    }
    compare(_, _) == 0
  }

  def baseOf(position: Int): AnyRef = pages.baseOf(sorted(position))

  def offsetOf(position: Int): Long = pages.offsetOf(sorted(position))

  def sizeOf(position: Int): Int = pages.sizeOf(sorted(position))

  /** Gives all memory back. */
  def free(): Unit = {
    pages.free()
    sorted = null
    memory.releaseAllBut(0L)
  }
}

private[execution] object SortRun {
  private val FewRows = 1024
  private val MostRows = 1 << 30

  // A word, an address, and both once more for those that are sorted at once.
  private val SortingBytesPerRow = 28L
  // Its place, where its rows begin, its number, and that boxed, or what sorts its words.
  private val BytesPerGroup = 40L

  /** Remembers how much it has asked for, and gives it back at once. */
  private final class Counted(memory: Memory) extends Memory {
    private var used = 0L

    override def acquire(bytes: Long): Unit = {
      memory.acquire(bytes)
      used += bytes
    }

    override def release(bytes: Long): Unit = {
      memory.release(bytes)
      used -= bytes
    }

    def releaseAllBut(bytes: Long): Unit = {
      memory.release(math.max(used - bytes, 0L))
      used = math.min(used, bytes)
    }
  }
}

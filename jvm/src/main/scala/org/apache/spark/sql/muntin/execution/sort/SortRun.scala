package org.apache.spark.sql.muntin.execution.sort

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.muntin.execution.exchange.{Stripe, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.{KeyTable, RowBatch}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sorting.{ItemOrder, MergeSort, RadixSort, WordSort}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Holds rows in memory that are added one by one, and then sorts them once. Only their addresses
 * are sorted; their bytes stay in place.
 *
 * The idea: a row's group is found when the row is added, and groups are sorted instead of rows. A
 * counting sort brings rows to their groups, and within each group rows are sorted by numbers. The
 * sort is stable.
 *
 *     keys     b2  a7  b1  a3        groups in the order of arrival: b = 0, a = 1
 *     counted  a7  a3 | b2  b1       the sorted groups, each with its rows in arrival order
 *     sorted   a3  a7 | b1  b2
 */
private[execution] final class SortRun(
    keys: SortKeys,
    pageMemory: SortMemory,
    arrayMemory: Memory
) {
  private val memory = new SortRun.CountingMemory(arrayMemory)
  private val words = keys.words
  // Only one of `pages` and `stripes` is used: rows that arrive one by one go to pages.
  private lazy val pages = {
    val pages = new RowPages(keys.inputTypes, pageMemory, keys.buckets, keys.ties)
    store = pages
    pages
  }
  private lazy val stripes = {
    val stripes = new StripePages(keys.layout, arrayMemory, keys.tiesOfStripes)
    store = stripes
    stripes
  }
  private var store: RowStore = _
  private val groups = if (keys.groupTypes.isEmpty) null else new KeyTable(keys.groupTypes, memory)

  private var capacity = 0
  private var count = 0
  private var columns = Array.fill(words.size)(Array.emptyLongArray)
  private var missing = if (words.nullable) Array.emptyByteArray else null
  private var anyMissing = 0
  private var groupOf = Array.emptyIntArray
  private var addresses = Array.emptyIntArray

  // The number of groups for which the memory of sorting is counted.
  private var groupCapacity = 0

  def size: Int = count

  /** Returns true if rows can be added in stripes. */
  def takesStripes: Boolean = !keys.stayInStripes || !store.isInstanceOf[RowPages]

  /** Returns true if no more rows can be added. */
  def isFull: Boolean =
    store != null && store.isFull || groups != null && groups.isFull || count == SortRun.MostRows

  /** Adds a row. If memory is refused, the run is unchanged. */
  def add(row: UnsafeRow): Unit = {
    if (count == capacity) grow()
    val key = if (groups == null) null else keys.group(row)
    val group = if (groups == null) 0 else groups.number(key)
    if (group >= groupCapacity) growGroups()
    val address = pages.add(row, if (groups == null) 0 else keys.bucket(key))
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

  /**
   * Adds rows of a stripe, as many as fit in a run. Returns their number. If memory is refused, the
   * run is unchanged.
   */
  def add(stripe: Stripe, from: Int, most: Int): Int = {
    val some = if (keys.stayInStripes) most else math.min(most, SortRun.RowsOfStep)
    val rows = math.min(some, SortRun.MostRows - count)
    while (count + rows > capacity) grow()
    if (groups != null) findGroups(stripe, from, from + rows)
    val added =
      if (keys.stayInStripes) keepRows(stripe, from, rows) else copyRows(stripe, from, rows)
    var column = 0
    while (column < columns.length) {
      words.columns(column).write(stripe, from, added, columns(column), count)
      column += 1
    }
    if (missing != null) anyMissing |= words.missing(stripe, from, added, missing, count)
    count += added
    added
  }

  /** Keeps the rows in their stripe. */
  private def keepRows(stripe: Stripe, from: Int, rows: Int): Int = {
    val first = stripes.add(stripe) + from
    var i = 0
    while (i < rows) {
      addresses(count + i) = first + i
      i += 1
    }
    rows
  }

  /** Copies the rows to pages, as many as fit. Returns their number. */
  private def copyRows(stripe: Stripe, from: Int, rows: Int): Int = {
    copied.clear()
    copied.add(stripe)
    var added = 0
    while (added < rows && !pages.isFull) {
      copied.copy(StripeRows.first, from + added, from + rows, batch): Unit
      while (batch.hasNext && !pages.isFull) {
        batch.advance(row)
        addresses(count + added) = pages.add(row)
        added += 1
      }
    }
    copied.free()
    added
  }

  private lazy val copied = new StripeRows(keys.layout)
  private lazy val batch = new RowBatch
  private lazy val row = new UnsafeRow(keys.inputTypes.size)

  /** Appends the groups of rows of a stripe to the groups of earlier rows. */
  private def findGroups(stripe: Stripe, from: Int, until: Int): Unit = {
    keyRows.clear()
    keyRows.add(stripe)
    var next = from
    var at = count
    while (next < until) {
      val first = next
      next = keyRows.copy(StripeRows.first, first, until, keyBatch)
      if (groups.isOfOneSize) writeNumbers(next - first, at)
      else {
        var i = 0
        while (keyBatch.hasNext) {
          keyBatch.advance(key)
          groupOf(at + i) = groups.number(key)
          i += 1
        }
      }
      at += next - first
    }
    keyRows.free()
    while (groups.size > groupCapacity) growGroups()
  }

  /** Writes the groups of the keys in the batch. */
  private def writeNumbers(rows: Int, at: Int): Unit = {
    var i = 0
    while (i < rows) {
      val some = math.min(KeyTable.Batch, rows - i)
      groups.writeNumbers(keyBatch.bytes, keyBatch.start(i) >>> 3, some, groupOf, at + i)
      i += some
    }
  }

  private lazy val keyRows = new StripeRows(keys.layout, keys.groupOrdinals)
  private lazy val keyBatch = new RowBatch
  private lazy val key = new UnsafeRow(keys.groupTypes.size)

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

  // Includes the memory for sorting, so that a run can be sorted without further memory.
  private def bytesPerRow: Long =
    words.size * 8L + (if (words.nullable) 1L else 0L) + 8L + SortRun.SortingBytesPerRow +
      (if (words.endInPrefix) SortRun.MergingBytesPerRow else 0L)

  /** The addresses of the rows in their order. */
  private var sorted: Array[Int] = _

  // The columns that can be written without addresses; null if there are none.
  private var orderedColumns: OrderedColumns = _

  /**
   * Sorts the rows; no more rows can be added. With `inBuckets` one bucket of groups follows the
   * other, if groups have buckets.
   */
  def sort(inBuckets: Boolean): Unit = {
    val isSingle = words.size == 1
    // If the order has one column, rows with a null form a separate group next to the group of the
    // other rows.
    val apart = if (isSingle && anyMissing != 0) 1 else 0
    val places = groupPlaces(inBuckets || keys.buckets == 1)
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
    val numbers =
      if (isSingle) sortSingle(places, apart, missingLast, starts, largest)
      else {
        sortByAll(places, starts, largest)
        null
      }
    columns = null
    missing = null
    groupOf = null
    addresses = null
    if (apart == 0 && store.isInstanceOf[StripePages]) know(numbers, places, starts)
    memory.releaseAllBut(count * 4L + (if (orderedColumns == null) 0L
                                       else orderedColumns.bytes(count)))
  }

  /** With stripes, some columns are not gathered. */
  private def know(numbers: Array[Long], places: Array[Int], starts: Array[Int]): Unit = {
    val exact = if (words.columns.headOption.exists(_.isExact)) numbers else null
    val groupAt = new Array[Int](starts.length - 1)
    if (groups != null) (0 until groups.size).foreach(group => groupAt(places(group)) = group)
    val columns = new OrderedColumns(keys, stripes, exact, groups, starts, groupAt)
    if (columns.ordinals.nonEmpty) {
      stripes.leaveOut(columns.ordinals)
      orderedColumns = columns
    }
  }

  private def place(places: Array[Int], apart: Int, missingLast: Int, i: Int): Int = {
    val place = places(groupOf(i)) << apart
    if (apart == 0) place
    else place | (if (missing(i) != 0) missingLast else 1 - missingLast)
  }

  /** Sorts by the only column of the order. Returns its numbers in the order of the rows. */
  private def sortSingle(
      places: Array[Int],
      apart: Int,
      missingLast: Int,
      starts: Array[Int],
      largest: Int
  ): Array[Long] = {
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
    val ties = new MergeSort(store)
    var group = 0
    while (group < starts.length - 1) {
      // A null has no number.
      val isMissing = apart == 1 && (group & 1) == missingLast
      if (!isMissing) radix.sort(sortedWords, sorted, starts(group), starts(group + 1))
      if (words.endInPrefix) {
        sortTies(ties, starts(group), starts(group + 1)) { (left, right) =>
          isMissing || sortedWords(left) == sortedWords(right)
        }
      }
      group += 1
    }
    sortedWords
  }

  /** Sorts adjacent rows with equal numbers by comparing them. */
  private def sortTies(sort: MergeSort, from: Int, until: Int)(
      areEqual: (Int, Int) => Boolean
  ): Unit = {
    var start = from
    while (start < until) {
      var end = start + 1
      while (end < until && areEqual(start, end)) end += 1
      sort.sort(sorted, start, end)
      start = end
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
      val ties = new MergeSort(new ItemOrder {
        override def compare(one: Int, other: Int): Int =
          store.compare(addresses(one), addresses(other))
      })
      var group = 0
      while (group < starts.length - 1) {
        sort.sort(sorted, starts(group), starts(group + 1))
        if (words.endInPrefix) {
          sortTies(ties, starts(group), starts(group + 1)) { (left, right) =>
            sort.areEqual(sorted(left), sorted(right))
          }
        }
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
   * Returns the place of each group in the order, equal groups in one place; then the number of
   * places.
   */
  private def groupPlaces(byAll: Boolean): Array[Int] =
    if (groups == null) Array(0, 0)
    else {
      val places = new Array[Int](groups.size + 1)
      val order = Array.range(0, groups.size)
      val areEqual = keys.groupWords match {
        case Some(ofGroups) => sortByWords(order, ofGroups, byAll)
        case None => sortByOrdering(order, keys.groupOrdering(byAll))
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

  // Without the first column, which is the bucket, all groups are of one bucket.
  private def sortByWords(
      order: Array[Int],
      ofGroups: SortWords,
      byAll: Boolean
  ): (Int, Int) => Boolean = {
    val columns = Array.fill(ofGroups.size)(new Array[Long](order.length))
    val missing = if (ofGroups.nullable) new Array[Byte](order.length) else null
    var i = 0
    while (i < order.length) {
      val group = groups(i)
      var column = if (byAll) 0 else 1
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

  private def sortByOrdering(
      order: Array[Int],
      ordering: Ordering[InternalRow]
  ): (Int, Int) => Boolean = {
    val (left, right) = (new UnsafeRow(keys.groupTypes.size), new UnsafeRow(keys.groupTypes.size))
    def compare(one: Int, other: Int): Int = {
      groups.point(left, one)
      groups.point(right, other)
      ordering.compare(left, right)
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

  /**
   * Copies the sorted rows from `first` on, as many as fit. Returns the first index that was not
   * copied.
   */
  def copy(first: Int, to: RowBatch): Int =
    if (first == count) {
      to.begin(0, 0)
      first
    } else {
      val next = store.copy(sorted, first, count, to)
      if (orderedColumns != null) orderedColumns.write(first, next, to)
      next
    }

  /** Copies rows with `fields` reserved fields from now on. */
  def reserveFields(fields: Int): Unit = if (store != null) store.reserveFields(fields)

  /** Releases all memory. */
  def free(): Unit = {
    if (store != null) store.free()
    sorted = null
    orderedColumns = null
    memory.releaseAllBut(0L)
  }
}

private[execution] object SortRun {
  private val FewRows = 1024
  // If a stripe's rows are copied to pages.
  private val RowsOfStep = 1024
  private val MostRows = 1 << 30

  // A number and an address, and a second copy for the rows that are sorted at the same time.
  private val SortingBytesPerRow = 28L
  // An address for half of the rows that are compared at a time.
  private val MergingBytesPerRow = 2L
  // Its place, the start of its rows, its number, its boxed number, and the object that sorts its
  // numbers.
  private val BytesPerGroup = 40L

  /** Counts the acquired bytes, to release them all at once. */
  private final class CountingMemory(memory: Memory) extends Memory {
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

package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{KeyTable, RowBatch}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

/**
 * Writes the columns of sorted rows whose values the sort has in sorted order: the sort columns
 * within a group, and the columns of the groups, which are equal in all rows of a group. The values
 * of other columns are gathered from distant places.
 *
 *     sorted   a3  a7 | b1  b2       groups a and b, numbers 3 7 1 2; other columns by address
 *
 * Cost per row: a word read and a word written for each column, both sequentially. Guarded by
 * ColumnExchangeSuite.
 *
 * @param stripes
 *   the stripes from which other columns are gathered
 * @param numbers
 *   the numbers that rows are sorted by, in the order of the rows; null if none are known
 * @param starts
 *   the start of each place's rows; a place is a group or several equal groups
 * @param groupAt
 *   a group of each place
 */
private[sort] final class OrderedColumns(
    keys: SortKeys,
    stripes: StripePages,
    numbers: Array[Long],
    groups: KeyTable,
    starts: Array[Int],
    groupAt: Array[Int]
) {
  private val word = if (numbers == null) null else keys.words.columns(0)
  // The known columns of the groups: as columns of the rows, and of the groups.
  private val inGroup: Array[Int] =
    if (groups == null) Array.emptyIntArray
    else keys.groupTypes.indices.filter(i => SortWord.isExact(keys.groupTypes(i))).toArray
  private val inRow: Array[Int] = inGroup.map(keys.groupOrdinals(_))
  private val group = new UnsafeRow(keys.groupTypes.size)
  private var place = 0

  /** Returns the columns. */
  def ordinals: Seq[Int] = inRow.toSeq ++ Option(word).map(_.ordinal)

  /** Returns how many bytes it holds for `rows` rows. */
  def bytes(rows: Int): Long =
    (if (numbers == null) 0L else 8L * rows) +
      (if (groups == null) 0L else 4L * starts.length + 4L * groupAt.length)

  /**
   * Writes the columns of the rows from `first` until `until` to a batch, which has these rows.
   * `first` must not decrease.
   */
  def write(first: Int, until: Int, to: RowBatch): Unit = {
    if (word != null) writeNumbers(first, until, to)
    if (inRow.length > 0) writeGroups(first, until, to)
  }

  private def writeNumbers(first: Int, until: Int, to: RowBatch): Unit = {
    val field = stripes.bitBytes + 8 * word.ordinal
    var i = first
    while (i < until) {
      to.bytes((to.start(i - first) + field) >>> 3) = word.field(numbers(i))
      i += 1
    }
  }

  private def writeGroups(first: Int, until: Int, to: RowBatch): Unit = {
    var from = first
    while (from < until) {
      while (starts(place + 1) <= from) place += 1
      groups.point(group, groupAt(place))
      val end = math.min(until, starts(place + 1))
      var k = 0
      while (k < inRow.length) {
        writeGroup(k, from - first, end - first, to)
        k += 1
      }
      from = end
    }
  }

  private def writeGroup(k: Int, from: Int, until: Int, to: RowBatch): Unit = {
    val field = stripes.bitBytes + 8 * inRow(k)
    val value = group.getLong(inGroup(k))
    var i = from
    while (i < until) {
      to.bytes((to.start(i) + field) >>> 3) = value
      i += 1
    }
    if (group.isNullAt(inGroup(k))) {
      i = from
      while (i < until) {
        BitSetMethods.set(to.bytes, Platform.LONG_ARRAY_OFFSET + to.start(i).toLong, inRow(k))
        i += 1
      }
    }
  }
}

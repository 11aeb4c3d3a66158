package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{KeyTable, RowBatch}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

/**
 * Columns of sorted rows whose values the sort has in their order: what rows are sorted by within
 * their group, and the columns of the groups, which are alike in all rows of a group. They are
 * written from there, where the values of other columns are gathered from distant places.
 *
 *     sorted   a3  a7 | b1  b2       groups a and b, numbers 3 7 1 2; other columns by address
 *
 * Cost per row: a word read and a word written for each column, both one behind the other in
 * memory. Guarded by ColumnExchangeSuite.
 *
 * @param stripes
 *   where the rows lie whose other columns are gathered
 * @param numbers
 *   the numbers that rows are sorted by, in the order of the rows; null where none are known
 * @param starts
 *   where the rows of each place begin, a place being a group or several that are equal
 * @param groupAt
 *   a group of each place
 */
private[sort] final class KnownColumns(
    keys: SortKeys,
    stripes: StripePages,
    numbers: Array[Long],
    groups: KeyTable,
    starts: Array[Int],
    groupAt: Array[Int]
) {
  private val word = if (numbers == null) null else keys.words.columns(0)
  // The columns of the groups that are known: as columns of the rows, and of the groups.
  private val inGroup: Array[Int] =
    if (groups == null) Array.emptyIntArray
    else keys.groupTypes.indices.filter(i => SortWord.isExact(keys.groupTypes(i))).toArray
  private val inRow: Array[Int] = inGroup.map(keys.groupOrdinals(_))
  private val group = new UnsafeRow(keys.groupTypes.size)
  private var place = 0

  /** The columns. */
  def ordinals: Seq[Int] = inRow.toSeq ++ Option(word).map(_.ordinal)

  /** How many bytes it holds for so many rows. */
  def bytes(rows: Int): Long =
    (if (numbers == null) 0L else 8L * rows) +
      (if (groups == null) 0L else 4L * starts.length + 4L * groupAt.length)

  /**
   * Writes the columns of the rows from `first` until `until` to a batch, which has them; rows that
   * were before `first` once are not asked for again.
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

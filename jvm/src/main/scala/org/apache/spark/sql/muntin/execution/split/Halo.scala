package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SortOrder}
import org.apache.spark.sql.muntin.execution.frames.RangeKeys

/**
 * Which rows around a chunk the windows of the chunk's own rows reach:
 *
 *     frame or window                        halo
 *     ROWS BETWEEN 3 PRECEDING               rowsBefore = 3, rowsAfter = 1
 *         AND 1 FOLLOWING
 *     RANGE 5 PRECEDING                      rangesBefore = its keys, groupedColumns = 1
 *     ROWS UNBOUNDED PRECEDING               isPreceded
 *     ROWS BETWEEN CURRENT ROW
 *         AND UNBOUNDED FOLLOWING            isFollowed
 *     row_number()                           isCounted, rowsBefore = 1
 *     since(sum(x), p)                       sought.before = the last row for which p is true
 *     validity(start, end)                   group
 *
 * `rowsBefore` and `rowsAfter` are numbers of rows, `rangesBefore` and `rangesAfter` offsets of
 * RANGE frames. `isCounted`: the kernel needs the number of rows of the partition before the chunk.
 * `isPreceded`: frames hold all rows before the chunk, in any order; `isFollowed`: all rows after
 * it. `group`: the rows that GROUP BY windows reach. `requiredMatches`: rows that must be searched.
 * `groupedColumns`: a cut never separates rows that are equal in the first `groupedColumns` columns
 * of ORDER BY; None: rows that are equal in all columns.
 */
final case class Halo(
    rowsBefore: Long,
    rowsAfter: Long,
    rangesBefore: Seq[RangeKeys],
    rangesAfter: Seq[RangeKeys],
    isCounted: Boolean,
    isPreceded: Boolean,
    group: Option[GroupReach] = None,
    isFollowed: Boolean = false,
    requiredMatches: RequiredMatches = RequiredMatches.Nothing,
    groupedColumns: Option[Int] = None
) {

  /**
   * Returns the order that compares rows with cuts; the first `keys` columns of `order` are the
   * PARTITION BY columns.
   */
  def cutOrder(order: Seq[SortOrder], keys: Int): Seq[SortOrder] =
    groupedColumns.fold(order)(by => order.take(keys + by))

  /** Returns the columns that determine where rows of this order can be cut. */
  def columns(order: Seq[SortOrder]): AttributeSet =
    AttributeSet(order.flatMap(_.references)) ++ group.fold(AttributeSet.empty)(_.references)

  /** Returns the columns of a row that a chunk needs to decide on the row. */
  def requiredColumns(order: Seq[SortOrder]): AttributeSet =
    columns(order) ++ AttributeSet(requiredMatches.conditions ++ requiredMatches.counted)

  /** Returns true if a chunk needs only the rows between the ends of its halo. */
  def isBounded: Boolean = !isPreceded && !isFollowed && group.forall(_.isBounded)

  /**
   * Returns which chunks read their partition twice: first to find the end of the halo, then to
   * pass the rows beyond the halo to frames.
   */
  def readTwice: ReadTwice = ReadTwice(
    isPreceded && (rowsBefore > 0L || requiredMatches.before.nonEmpty),
    isFollowed && (rowsAfter > 0L || requiredMatches.after.nonEmpty)
  )

  /**
   * Returns the halo of windows if some reach as far as this halo, and some as far as `other`.
   */
  def and(other: Halo): Halo = Halo(
    math.max(rowsBefore, other.rowsBefore),
    math.max(rowsAfter, other.rowsAfter),
    (rangesBefore ++ other.rangesBefore).distinct,
    (rangesAfter ++ other.rangesAfter).distinct,
    isCounted || other.isCounted,
    isPreceded || other.isPreceded,
    isFollowed = isFollowed || other.isFollowed,
    requiredMatches = requiredMatches.and(other.requiredMatches),
    groupedColumns = (groupedColumns ++ other.groupedColumns).minOption
  )
}

object Halo {

  /** The windows of a chunk reach no row outside of the chunk. */
  val NoRows: Halo = Halo(0L, 0L, Nil, Nil, isCounted = false, isPreceded = false)
}

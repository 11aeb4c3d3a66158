package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SortOrder}
import org.apache.spark.sql.muntin.execution.frames.RangeKeys

/**
 * Which rows around a part of a partition the windows of its rows reach: so many before and after
 * it, and those within the offsets of RANGE frames. `isCounted`: how many rows of the partition
 * come before has to be known as well; `isPreceded`: all of them are in frames, in any order;
 * `isFollowed`: all that come behind it. `group`: the rows that windows of groups reach. `sought`:
 * those that have to be looked for. `togetherBy`: rows that are equal in so many of the order's
 * first stay together, if not in all.
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
    sought: SoughtRows = SoughtRows.Nothing,
    togetherBy: Option[Int] = None
) {

  /**
   * By what rows are told apart where they are cut, of their order, which begins with so many keys.
   */
  def cutOrder(order: Seq[SortOrder], keys: Int): Seq[SortOrder] =
    togetherBy.fold(order)(by => order.take(keys + by))

  /** What tells where rows of this order can be cut. */
  def columns(order: Seq[SortOrder]): AttributeSet =
    AttributeSet(order.flatMap(_.references)) ++ group.fold(AttributeSet.empty)(_.references)

  /** Whether chunks need no other rows than those between the ends of their halos. */
  def isBounded: Boolean = !isPreceded && !isFollowed && group.forall(_.isBounded)

  /**
   * Which chunks read their partition twice: where a halo ends is not known before, and what is
   * beyond goes to frames.
   */
  def twice: ReadTwice = ReadTwice(
    isPreceded && (rowsBefore > 0L || sought.before.nonEmpty),
    isFollowed && (rowsAfter > 0L || sought.after.nonEmpty)
  )

  /** The halo of windows that reach as far as either. */
  def and(other: Halo): Halo = Halo(
    math.max(rowsBefore, other.rowsBefore),
    math.max(rowsAfter, other.rowsAfter),
    (rangesBefore ++ other.rangesBefore).distinct,
    (rangesAfter ++ other.rangesAfter).distinct,
    isCounted || other.isCounted,
    isPreceded || other.isPreceded,
    isFollowed = isFollowed || other.isFollowed,
    sought = sought.and(other.sought),
    togetherBy = (togetherBy ++ other.togetherBy).minOption
  )
}

object Halo {

  /** The rows of a part are all that its windows reach. */
  val NoRows: Halo = Halo(0L, 0L, Nil, Nil, isCounted = false, isPreceded = false)
}

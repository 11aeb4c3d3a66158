package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.Layout
import org.apache.spark.sql.muntin.spark.EqualBytes
import org.apache.spark.sql.types.DataType

/**
 * The sort keys of rows. The first `groups` of the orders, of any type, determine a row's group.
 * Within a group rows are sorted by the other orders: by numbers, and if a number is only the
 * prefix of a value, by comparing the rows with equal numbers.
 *
 * @param mostGathered
 *   the most places of a stripe that a row's values may have, for the row to stay there
 * @param inAnyOrder
 *   whether it suffices that the rows of a group are adjacent: then groups are in buckets, and
 *   each bucket has its groups in their order
 */
private[execution] final class SortKeys(
    sortOrder: Seq[SortOrder],
    groups: Int,
    input: Seq[Attribute],
    mostGathered: Int,
    inAnyOrder: Boolean = false
) {
  private val (byGroup, order) = sortOrder.splitAt(groups)
  private val grouping =
    if (inAnyOrder) SortOrder(SortKeys.bucketOf(byGroup.map(_.child)), Ascending) +: byGroup
    else byGroup
  private val bound = order.map(o => o.copy(child = BindReferences.bindReference(o.child, input)))
  private val isComputed = bound.exists(!_.child.isInstanceOf[BoundReference])
  private lazy val project = UnsafeProjection.create(bound.map(_.child))

  val inputTypes: Seq[DataType] = input.map(_.dataType)

  /** The layout of the rows in stripes. */
  private[execution] lazy val layout: Layout = new Layout(inputTypes)

  /**
   * True if rows that arrive in stripes stay there: if a row has few columns, gathering them from
   * the stripes at the end is cheaper than copying the row again.
   */
  lazy val stayInStripes: Boolean = layout.places <= mostGathered

  /** The columns of the groups; -1 for an expression that is not a column. */
  lazy val groupOrdinals: Array[Int] = grouping.map(_.child match {
    case a: Attribute => input.indexWhere(_.exprId == a.exprId)
    case _ => -1
  }).toArray

  val groupTypes: Seq[DataType] = grouping.map(_.dataType)

  private lazy val groupOf = UnsafeProjection.create(grouping.map(_.child), input)

  /** The numbers that sort the rows of a group, read from the row that `ordered` returns. */
  val words: SortWords = SortKeys.words(
    if (!isComputed) bound
    else bound.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) }
  )

  private def behindNumbers: Seq[SortOrder] = bound.drop(words.size - 1)

  /** Returns the order of rows with equal numbers; null if such rows are equal. */
  def ties: Ordering[InternalRow] =
    if (words.endInPrefix) RowOrdering.create(behindNumbers, Nil) else null

  /** Returns the order of rows with equal numbers in stripes, whose keys are columns. */
  def tiesOfStripes: StripeOrder = if (words.endInPrefix) StripeOrder(behindNumbers) else null

  /**
   * The numbers that sort groups, read from the row that `group` returns; None if the groups have
   * other types.
   */
  val groupWords: Option[SortWords] =
    SortWords(grouping.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) })

  /** The number of buckets for groups. */
  val buckets: Int = if (inAnyOrder) SortKeys.Buckets else 1

  /** Returns the bucket of a group that `group` returned: it is the group's first column. */
  def bucket(group: UnsafeRow): Int = if (inAnyOrder) group.getInt(0) else 0

  /** Returns the group of a row; valid until the next call. */
  def group(row: UnsafeRow): UnsafeRow = groupOf(row)

  /** Returns the row with the columns of the order; valid until the next call. */
  def ordered(row: UnsafeRow): UnsafeRow = if (isComputed) project(row) else row

  /**
   * Returns the order of the rows that `group` returns; without `byAll` their first column is
   * ignored.
   */
  def groupOrdering(byAll: Boolean): Ordering[InternalRow] = RowOrdering.create(
    grouping.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) }.drop(if (byAll) 0 else 1),
    Nil
  )

  /** The order of rows, by all columns. */
  lazy val ordering: Ordering[InternalRow] = RowOrdering.create(grouping ++ order, input)
}

private[muntin] object SortKeys {

  /** Returns true if rows can be sorted in this way. */
  def support(sortOrder: Seq[SortOrder], groups: Int): Boolean =
    SortWords.support(sortOrder.drop(groups))

  /**
   * Returns true if groups by these columns can have buckets: equal groups must have equal buckets.
   */
  def haveBuckets(columns: Seq[Expression]): Boolean =
    columns.nonEmpty && columns.forall(c => EqualBytes.areIn(c.dataType))

  private val Buckets = 64

  // Not the seed of Spark's exchange, whose tasks would have rows of only a few buckets.
  private def bucketOf(columns: Seq[Expression]): Expression =
    BitwiseAnd(new Murmur3Hash(columns, 17), Literal(Buckets - 1))

  private def at(ordinal: Int, order: SortOrder): SortOrder =
    order.copy(child = BoundReference(ordinal, order.dataType, order.nullable))

  private def words(order: Seq[SortOrder]): SortWords = SortWords.upToPrefix(order).getOrElse(
    throw new IllegalStateException(s"no numbers: ${order.map(_.sql).mkString(", ")}")
  )
}

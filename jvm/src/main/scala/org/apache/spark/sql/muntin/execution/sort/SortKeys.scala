package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.Layout
import org.apache.spark.sql.muntin.spark.EqualBytes
import org.apache.spark.sql.types.DataType

/**
 * What rows are sorted by: the first `groups` of the orders, of any type, give a row's group;
 * within a group rows are sorted by the other orders: by numbers, and where a number is but the
 * prefix of a value, by comparing the rows that have the same.
 *
 * @param mostGathered
 *   in how many places of a stripe a row's values may lie, for the row to stay there
 * @param inAnyOrder
 *   whether it is enough that the rows of a group come together: then groups have buckets, which
 *   may come one after the other, each with its groups in their order
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

  /** How the rows lie in stripes. */
  private[execution] lazy val layout: Layout = new Layout(inputTypes)

  /**
   * Whether rows that come in stripes stay there: where a row has few columns, to gather these from
   * the stripes in the end costs less than to copy the row once more.
   */
  lazy val stayInStripes: Boolean = layout.places <= mostGathered

  /** Whether the keys are columns of the input, so that rows can be sorted in stripes. */
  def areColumns: Boolean = !isComputed && !groupOrdinals.contains(-1)

  /** The columns of the groups; -1 for what is no column. */
  lazy val groupOrdinals: Array[Int] = grouping.map(_.child match {
    case a: Attribute => input.indexWhere(_.exprId == a.exprId)
    case _ => -1
  }).toArray

  val groupTypes: Seq[DataType] = grouping.map(_.dataType)

  private lazy val groupOf = UnsafeProjection.create(grouping.map(_.child), input)

  /** The numbers that rows of a group are sorted by, read from the row that `ordered` gives. */
  val words: SortWords = SortKeys.words(
    if (!isComputed) bound
    else bound.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) }
  )

  private def behindNumbers: Seq[SortOrder] = bound.drop(words.size - 1)

  /** Compares rows that have the same numbers; null where they are equal then. */
  def ties: Ordering[InternalRow] =
    if (words.endInPrefix) RowOrdering.create(behindNumbers, Nil) else null

  /** The same, of rows in stripes, whose keys are columns. */
  def tiesOfStripes: StripeOrder = if (words.endInPrefix) StripeOrder(behindNumbers) else null

  /**
   * The numbers that groups are sorted by, read from the row that `group` gives; None where the
   * groups are of other types.
   */
  val groupWords: Option[SortWords] =
    SortWords(grouping.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) })

  /** Into how many buckets groups go. */
  val buckets: Int = if (inAnyOrder) SortKeys.Buckets else 1

  /** The bucket of a group that `group` gave: it is the group's first column. */
  def bucket(group: UnsafeRow): Int = if (inAnyOrder) group.getInt(0) else 0

  /** The group of a row; valid until the next call. */
  def group(row: UnsafeRow): UnsafeRow = groupOf(row)

  /** The row with the columns of the order; valid until the next call. */
  def ordered(row: UnsafeRow): UnsafeRow = if (isComputed) project(row) else row

  /** The order of the rows that `group` gives; without `byAll` not by their first column. */
  def groupOrdering(byAll: Boolean): Ordering[InternalRow] = RowOrdering.create(
    grouping.zipWithIndex.map { case (o, i) => SortKeys.at(i, o) }.drop(if (byAll) 0 else 1),
    Nil
  )

  /** The order of rows, by all columns. */
  lazy val ordering: Ordering[InternalRow] = RowOrdering.create(grouping ++ order, input)
}

private[muntin] object SortKeys {

  /** Whether rows can be sorted in this way. */
  def support(sortOrder: Seq[SortOrder], groups: Int): Boolean =
    SortWords.support(sortOrder.drop(groups))

  /** Whether groups by these columns can have buckets: equal groups have to have the same. */
  def haveBuckets(columns: Seq[Expression]): Boolean =
    columns.nonEmpty && columns.forall(c => EqualBytes.areIn(c.dataType))

  private val Buckets = 64

  // Not the seed of Spark's exchange, whose tasks would have rows of a few buckets alone.
  private def bucketOf(columns: Seq[Expression]): Expression =
    BitwiseAnd(new Murmur3Hash(columns, 17), Literal(Buckets - 1))

  private def at(ordinal: Int, order: SortOrder): SortOrder =
    order.copy(child = BoundReference(ordinal, order.dataType, order.nullable))

  private def words(order: Seq[SortOrder]): SortWords = SortWords.upToPrefix(order).getOrElse(
    throw new IllegalStateException(s"no numbers: ${order.map(_.sql).mkString(", ")}")
  )
}

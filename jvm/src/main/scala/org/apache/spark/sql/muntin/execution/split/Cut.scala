package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * A place between sorted rows, given by an adjacent row. A row with these values need not exist.
 * Only the sort columns of `row` are set.
 *
 *     rows sorted by t             10   20   20   30
 *     Cut(t = 20, BeforePeers)        ^
 *     Cut(t = 20, AfterPeers)                   ^
 *     Cut(t = 25, BeforePeers)                  ^
 *     Cut(t = 20, AfterPartition)                    ^
 */
final case class Cut(row: UnsafeRow, side: Cut.Side)

object Cut {

  /** The side of its row on which a cut is. */
  sealed abstract class Side(val rank: Int) extends Serializable

  /** Before the first row of the row's partition. */
  case object BeforePartition extends Side(0)

  /** Before the row and its peers. */
  case object BeforePeers extends Side(1)

  /** After the row and its peers. */
  case object AfterPeers extends Side(2)

  /** After the last row of the row's partition. */
  case object AfterPartition extends Side(3)
}

/**
 * Compares rows with cuts, and cuts with each other. Rows are sorted by `order`; its first `keys`
 * columns are the PARTITION BY columns.
 */
final class CutOrder(order: Seq[SortOrder], keys: Int, val input: Seq[Attribute])
    extends Ordering[Cut] {
  val rows: Ordering[InternalRow] = RowOrdering.create(order, input)
  private lazy val types = input.map(_.dataType).toArray
  private lazy val projection = UnsafeProjection.create(types)
  private lazy val read = AttributeSet(order.flatMap(_.references))
  private lazy val ordered =
    UnsafeProjection.create(
      input.map(a => if (read.contains(a)) a else Literal(null, a.dataType)),
      input
    )
  private val partitions: Ordering[InternalRow] =
    if (keys == 0) Ordering.by((_: InternalRow) => 0)
    else RowOrdering.create(order.take(keys), input)

  def isBefore(row: InternalRow, cut: Cut): Boolean = cut.side match {
    case Cut.BeforePeers => rows.compare(row, cut.row) < 0
    case Cut.AfterPeers => rows.compare(row, cut.row) <= 0
    case Cut.BeforePartition => partitions.compare(row, cut.row) < 0
    case Cut.AfterPartition => partitions.compare(row, cut.row) <= 0
  }

  def isSamePartition(left: InternalRow, right: InternalRow): Boolean =
    partitions.compare(left, right) == 0

  /** Returns a copy of the row in which only the sort columns are set. */
  def orderOf(row: InternalRow): UnsafeRow = ordered(row).copy()

  /** Returns true if a column of the rows determines their position. */
  def reads(ordinal: Int): Boolean = read.contains(input(ordinal))

  /** Returns the row with another value in one of its columns. */
  def changed(row: UnsafeRow, ordinal: Int, value: Any): UnsafeRow = {
    val values = types.indices.map { i =>
      if (i == ordinal) value else if (row.isNullAt(i)) null else row.get(i, types(i))
    }
    projection(new GenericInternalRow(values.toArray[Any])).copy()
  }

  /**
   * Compares cuts by partition, then by row, then by side. The cuts at both ends of a partition are
   * outside of all its rows.
   */
  override def compare(left: Cut, right: Cut): Int = {
    def byRank = Integer.compare(left.side.rank, right.side.rank)
    val byPartition = partitions.compare(left.row, right.row)
    if (byPartition != 0) byPartition
    else if (isWhole(left) || isWhole(right)) byRank
    else {
      val byRow = rows.compare(left.row, right.row)
      if (byRow != 0) byRow else byRank
    }
  }

  private def isWhole(cut: Cut): Boolean =
    cut.side == Cut.BeforePartition || cut.side == Cut.AfterPartition
}

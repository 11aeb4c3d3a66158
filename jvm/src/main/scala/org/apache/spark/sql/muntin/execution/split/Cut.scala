package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * A place between sorted rows, said by a row that may lie beside it: of `row` only what the rows
 * are sorted by is there.
 */
final case class Cut(row: UnsafeRow, side: Cut.Side)

object Cut {

  /** Where it lies, seen from its row. */
  sealed abstract class Side(val rank: Int) extends Serializable

  /** Before the first row of the same partition. */
  case object BeforePartition extends Side(0)

  /** Before the row, and its peers. */
  case object BeforePeers extends Side(1)

  /** Behind the row, and its peers. */
  case object AfterPeers extends Side(2)

  /** Behind the last row of the same partition. */
  case object AfterPartition extends Side(3)
}

/**
 * Which rows are before a cut, and which cut before another: rows are sorted by `order`, of which
 * the first `keys` tell the partitions apart.
 */
final class CutOrder(order: Seq[SortOrder], keys: Int, val input: Seq[Attribute])
    extends Ordering[Cut] {
  val rows: Ordering[InternalRow] = RowOrdering.create(order, input)
  private lazy val types = input.map(_.dataType).toArray
  private lazy val projection = UnsafeProjection.create(types)
  private lazy val ordered = {
    val read = AttributeSet(order.flatMap(_.references))
    UnsafeProjection.create(
      input.map(a => if (read.contains(a)) a else Literal(null, a.dataType)),
      input
    )
  }
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

  /** What the rows are sorted by, and nothing else of the row. */
  def orderOf(row: InternalRow): UnsafeRow = ordered(row).copy()

  /** The row with another value in one of its columns. */
  def changed(row: UnsafeRow, ordinal: Int, value: Any): UnsafeRow = {
    val values = types.indices.map { i =>
      if (i == ordinal) value else if (row.isNullAt(i)) null else row.get(i, types(i))
    }
    projection(new GenericInternalRow(values.toArray[Any])).copy()
  }

  /** Between the first and the last cut of a partition its rows decide, and then the side. */
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

package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Cast,
  Expression,
  Literal,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.muntin.execution.{FieldPlan, GroupPlan}
import org.apache.spark.sql.types._

/** field_window: windows of a group along the values of a field, after StreamBase's field dimension. */
final case class FieldWindow(
    field: Expression,
    size: Long,
    advance: Long,
    offset: Long,
    all: Boolean,
    reach: Option[Expression] = None
) extends GroupWindow {
  override def function: SqlFunction = FieldWindow

  override def children: Seq[Expression] = field +: reach.toSeq

  override def dataType: StructType =
    StructType(Seq(StructField("open", field.dataType), StructField("close", field.dataType)))

  override def order: Seq[SortOrder] = Seq(SortOrder(field, Ascending))

  override def pane: Option[Expression] = {
    val rest = size % advance
    Some(FieldPane(Cast(field, LongType), advance, offset, if (rest == 0L) advance else rest))
  }

  override def overPanes(first: Attribute, last: Attribute): FieldWindow =
    copy(field = first, reach = Some(last))

  override def plan(known: Option[Any]): GroupPlan = FieldPlan(this)

  override protected def argumentsSql: Seq[String] =
    Seq(s"size => $size", s"advance => $advance") ++
      Option.when(offset != 0L)(s"offset => $offset") ++ Option.when(all)("open => 'all'")

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): FieldWindow = copy(field = newChildren.head, reach = newChildren.lift(1))
}

object FieldWindow extends SqlFunction {
  override val name: String = "field_window"

  override val parameters: Seq[InputParameter] = Seq(
    required("field"),
    required("size"),
    required("advance"),
    optional("offset", Literal(0L)),
    optional("open", Literal("single"))
  )

  override val usage: String =
    """
      _FUNC_(field, size, advance[, offset][, open]) - Windows of a GROUP BY along the values of a field.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT sum(x) FROM VALUES (10, 1), (20, 2), (40, 4) AS d(t, x) GROUP BY field_window(t, 30, 30)",
    "3",
    "4"
  )

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(field, size, advance, offset, open) =>
      val read = new Arguments(name)
      FieldWindow(
        read.row("field", field),
        read.positive("size", size).toLong,
        read.positive("advance", advance).toLong,
        offset.eval().asInstanceOf[Number].longValue,
        read.word("open", open, Seq("single", "all")) == "all"
      )
  }
}

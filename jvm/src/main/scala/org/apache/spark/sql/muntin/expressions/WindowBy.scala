package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{
  CreateNamedStruct,
  EqualTo,
  Expression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  SqlFunction
}
import org.apache.spark.sql.types.{BooleanType, DataType}

/**
 * window_by: the condition that relates the rows of `source` to the rows of `anchors`. It is the
 * condition of their left join below an aggregate; PlaceAnchoredWindows turns join and aggregate
 * into one node. The left side of the join is packed into one column, `anchor`, from which its
 * other expressions are computed. So names in the aggregates refer to columns of the source only.
 * `keys` are equalities of the anchor's key and the source's key.
 */
final case class WindowBy(
    anchor: Expression,
    time: Expression,
    start: Expression,
    end: Expression,
    keys: Seq[Expression],
    closed: String,
    obsolete: Option[Expression],
    order: Option[Expression],
    ordered: Boolean
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] =
    Seq(anchor, time, start, end) ++ keys ++ obsolete ++ order

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def prettyName: String = WindowBy.name

  /** Returns pairs of the anchor's key and the source's key. */
  def pairs: Seq[(Expression, Expression)] = keys.collect { case EqualTo(a, s) => (a, s) }

  /** Returns the parameters that are times, with their names. */
  def times: Seq[(String, Expression)] =
    Seq("time" -> time, "start" -> start, "end" -> end) ++ obsolete.map("obsolete" -> _)

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): WindowBy =
    copy(
      anchor = newChildren(0),
      time = newChildren(1),
      start = newChildren(2),
      end = newChildren(3),
      keys = newChildren.slice(4, 4 + keys.size),
      obsolete = obsolete.map(_ => newChildren(4 + keys.size)),
      order = order.map(_ => newChildren.last)
    )
}

object WindowBy extends SqlFunction {
  override def definition: Definition = Definitions.windowBy

  // DataFrame code and SQL's table function pass the packed anchor in place of the tables.
  override def parameters: Seq[InputParameter] =
    Definition.required("anchor") +: definition.parameters.drop(3)

  /** The prefix of the names of columns that the join adds. */
  val Prefix: String = "__muntin_"

  private val ends = Seq("both", "left", "right", "neither")

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(anchor, time, start, end, on, closed, obsolete, order, ordered) =>
      val read = new Arguments(name)
      WindowBy(
        anchor,
        read.row("time", time),
        read.row("start", start),
        read.row("end", end),
        read.expression(on).fold(Seq.empty[Expression])(equalities(read, _)),
        read.word("closed", closed, ends),
        read.expression(obsolete).map(read.row("obsolete", _)),
        read.expression(order).map(read.row("order", _)),
        read.flag("ordered", ordered)
      )
  }

  private def equalities(read: Arguments, on: Expression): Seq[Expression] = on match {
    case struct: CreateNamedStruct =>
      struct.valExprs.map {
        case equality: EqualTo => equality
        case other => throw read.invalidValue("on", other, "an equality of two columns")
      }
    case other => throw read.invalidValue("on", other, "a struct of equalities")
  }
}

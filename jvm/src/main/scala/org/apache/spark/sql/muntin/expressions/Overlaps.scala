package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  SqlFunction
}
import org.apache.spark.sql.types._

/**
 * True if two intervals overlap; see `Overlaps.definition`. It is an ordinary condition. In the
 * condition of a join of two tables, Muntin's operator finds the pairs.
 */
final case class Overlaps(
    leftStart: Expression,
    leftEnd: Expression,
    rightStart: Expression,
    rightEnd: Expression
) extends Expression
    with Predicate {
  override def children: Seq[Expression] = Seq(leftStart, leftEnd, rightStart, rightEnd)

  override def nullable: Boolean = leftStart.nullable || rightStart.nullable

  override def prettyName: String = Overlaps.name

  /** Returns the condition with the intervals swapped. */
  def swapped: Overlaps = Overlaps(rightStart, rightEnd, leftStart, leftEnd)

  // An interval whose end is null is open; an empty interval does not overlap any other.
  private lazy val comparisons: Expression = {
    def before(start: Expression, end: Expression): Expression =
      if (end.nullable) Or(IsNull(end), LessThan(start, end)) else LessThan(start, end)
    val all = Seq(
      before(leftStart, rightEnd),
      before(rightStart, leftEnd),
      before(leftStart, leftEnd),
      before(rightStart, rightEnd)
    ).reduce[Expression](And(_, _))
    val starts = Seq(leftStart, rightStart).filter(_.nullable).map(IsNull(_))
    starts.reduceOption[Expression](Or(_, _)).fold(all)(If(_, Literal(null, BooleanType), all))
  }

  override def eval(input: InternalRow): Any = comparisons.eval(input)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    comparisons.genCode(ctx)

  override def toString: String = s"$prettyName(${children.mkString(", ")})"

  override def sql: String = s"$prettyName(${children.map(_.sql).mkString(", ")})"

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Overlaps =
    Overlaps(newChildren(0), newChildren(1), newChildren(2), newChildren(3))
}

object Overlaps extends SqlFunction {
  override def definition: Definition = Definitions.overlaps

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case ends @ Seq(leftStart, leftEnd, rightStart, rightEnd) =>
      val read = new Arguments(name)
      val common = ends.map(_.dataType).foldLeft(Option[DataType](NullType)) { (found, end) =>
        found.flatMap(commonType(_, end))
      }.getOrElse(NullType)
      if (common == NullType || !RowOrdering.isOrderable(common)) {
        throw read.noCommonType(ends: _*)
      }
      def end(parameter: String, argument: Expression): Expression = {
        val row = read.row(parameter, argument)
        if (row.dataType == common) row
        else Cast(row, common, Some(SQLConf.get.sessionLocalTimeZone))
      }
      Overlaps(
        end("left_start", leftStart),
        end("left_end", leftEnd),
        end("right_start", rightStart),
        end("right_end", rightEnd)
      )
  }

  private def commonType(a: DataType, b: DataType): Option[DataType] = (a, b) match {
    case (NullType, other) => Some(other)
    case (other, NullType) => Some(other)
    case _ if a == b => Some(a)
    case _ if isMeasured(a) && isMeasured(b) => AnsiTypeCoercion.findWiderTypeForTwo(a, b)
    case _ => None
  }

  private def isMeasured(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType => true
    case _ => false
  }
}

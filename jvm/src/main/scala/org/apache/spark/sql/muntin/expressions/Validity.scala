package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  SqlFunction
}
import org.apache.spark.sql.types._

/**
 * validity: the periods in which a group's set of valid rows is constant, after Odysseus; see
 * `Validity.definition`. `start` and `end` have one type.
 */
final case class Validity(
    start: Expression,
    end: Expression,
    dumpAt: Option[Int],
    byElement: Boolean,
    override val drain: Option[Boolean]
) extends GroupWindow {
  override def function: SqlFunction = Validity

  override def children: Seq[Expression] = Seq(start, end)

  override def dataType: StructType = StructType(
    Seq(
      StructField("start", start.dataType, nullable = false),
      StructField("end", start.dataType)
    )
  )

  override def order: Seq[SortOrder] = Seq(SortOrder(start, Ascending))

  override protected def argumentsSql: Seq[String] =
    dumpAt.map(n => s"dump_at => $n").toSeq ++
      Option.when(byElement)("emit => 'element'") ++ drain.map(d => s"drain => $d")

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Validity =
    copy(start = newChildren(0), end = newChildren(1))
}

object Validity extends SqlFunction {
  override def definition: Definition = Definitions.validity

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(start, end, dumpAt, emit, drain) =>
      val read = new Arguments(name)
      val byElement = read.word("emit", emit, Seq("change", "element")) == "element"
      val count = read.expression(dumpAt).map(read.positive("dump_at", _))
      if (byElement && count.isDefined) {
        throw read.error("MUNTIN_DUMP_AT_WITH_ELEMENTS", "dumpAt" -> dumpAt.sql)
      }
      val (from, until) = times(read, start, end)
      Validity(from, until, count, byElement, read.expression(drain).map(read.flag("drain", _)))
  }

  /** Returns the windows of `start` and `end` for another function that has these arguments. */
  private[muntin] def of(read: Arguments, start: Expression, end: Expression): Validity = {
    val (from, until) = times(read, start, end)
    Validity(from, until, dumpAt = None, byElement = false, drain = None)
  }

  /** Returns start and end, cast to one type. */
  private def times(
      read: Arguments,
      start: Expression,
      end: Expression
  ): (Expression, Expression) = {
    val common = commonType(start.dataType, end.dataType).getOrElse(
      throw read.noCommonType(start, end)
    )
    (read.row("start", cast(start, common)), read.row("end", cast(end, common)))
  }

  private def commonType(start: DataType, end: DataType): Option[DataType] =
    ((start, end) match {
      case (NullType, other) => Some(other)
      case (other, NullType) => Some(other)
      case (a, b) if a == b => Some(a)
      case (a, b) if isMeasured(a) && isMeasured(b) => AnsiTypeCoercion.findWiderTypeForTwo(a, b)
      case _ => None
    }).filter(t => t != NullType && RowOrdering.isOrderable(t))

  private def isMeasured(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType => true
    case _ => false
  }

  private def cast(argument: Expression, dataType: DataType): Expression =
    if (argument.dataType == dataType) argument
    else Cast(argument, dataType, Some(SQLConf.get.sessionLocalTimeZone))
}

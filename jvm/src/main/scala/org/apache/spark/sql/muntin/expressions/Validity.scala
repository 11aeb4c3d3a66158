package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * validity: the pieces of time in which a group's set of valid rows is constant, after Odysseus; see
 * `Validity.usage`. `start` and `end` are of one type.
 */
final case class Validity(
    start: Expression,
    end: Expression,
    dumpAt: Option[Int],
    byElement: Boolean,
    drain: Boolean
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
      Option.when(byElement)("emit => 'element'") ++ Option.when(!drain)("drain => false")

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Validity =
    copy(start = newChildren(0), end = newChildren(1))
}

object Validity extends SqlFunction {
  override val name: String = "validity"

  override val parameters: Seq[InputParameter] = Seq(
    required("start"),
    required("end"),
    optional("dump_at"),
    optional("emit", Literal("change")),
    optional("drain", Literal(true))
  )

  override val usage: String =
    """
      _FUNC_(start, end[, dump_at][, emit][, drain]) - Windows of a GROUP BY: each row is valid from
      start until end, not with it, and there is a window for each maximal interval in which the set of
      a group's valid rows is constant and not empty. A null end is never. With dump_at => k windows are
      cut at the start of every k-th row of all groups. With emit => 'element' there is one for each
      row instead: of the rows valid at its start, those of the same start that came before it and
      itself included. With drain => false windows come out only where a row of any group starts at
      their end or later.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT count(*) FROM VALUES (0, 10), (5, 15), (20, 30) AS d(s, e) GROUP BY validity(s, e)",
    "1",
    "2",
    "1",
    "1"
  )

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(start, end, dumpAt, emit, drain) =>
      val read = new Arguments(name)
      val byElement = read.word("emit", emit, Seq("change", "element")) == "element"
      val count = read.expression(dumpAt).map(read.positive("dump_at", _))
      if (byElement && count.isDefined) {
        throw read.invalid(
          "dump_at",
          s"${dumpAt.sql}; it cuts intervals, and with emit => 'element' there are none: leave " +
            "one of the two out"
        )
      }
      val (from, until) = times(read, start, end)
      Validity(from, until, count, byElement, read.flag("drain", drain))
  }

  /** The windows of `start` and `end` for another function, whose arguments these are. */
  private[muntin] def of(read: Arguments, start: Expression, end: Expression): Validity = {
    val (from, until) = times(read, start, end)
    Validity(from, until, dumpAt = None, byElement = false, drain = true)
  }

  /** Start and end, of one type. */
  private def times(
      read: Arguments,
      start: Expression,
      end: Expression
  ): (Expression, Expression) = {
    val common = commonType(start.dataType, end.dataType).getOrElse(
      throw read.invalid(
        "start, end",
        s"${start.sql} and ${end.sql} have the types ${start.dataType.sql} and " +
          s"${end.dataType.sql}; expected are two of one type that has an order, of TIMESTAMP, " +
          "TIMESTAMP_NTZ or DATE, or two numbers"
      )
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

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.spark.{
  ArgumentsInOrder,
  FunctionCall,
  GroupBy,
  JoinOn,
  ReplacedColumn
}
import org.apache.spark.sql.types.NullType

/** The table function window_by. Returns the same query as DataFrame code. */
object WindowByTable {
  private val name = WindowBy.name

  private val parameters: Seq[InputParameter] = WindowBy.definition.parameters

  // Names that no column has.
  private val anchor = packedName("anchor")

  private def packedName(part: String): String = WindowBy.Prefix + part

  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(name)
    val tables = new TableArguments(
      read,
      Some("on => 'k'"),
      {
        case "aggregates" => "avg(x) AS mean, count(*) AS n"
        case "on" => "k, l"
        case "time" => "t"
        case _ => "lo"
      }
    )
    val values = parameters.map(_.name).zip(ArgumentsInOrder(name, parameters, arguments)).toMap
    def one(parameter: String): Expression = tables.one(parameter, values(parameter))
    val keys = read.expression(values("on")).toSeq.flatMap(tables.list("on", _)).map { item =>
      key(read, tables.unnamed(item))
    }
    val optional = Seq("obsolete", "order").flatMap { parameter =>
      read.expression(values(parameter)).map(_ => parameter -> one(parameter))
    }
    apply(
      tables.table("source", values("source")),
      tables.table("anchors", values("anchors")),
      Seq(UnresolvedStar(None)),
      tables.list("aggregates", values("aggregates")),
      one("time"),
      Seq("start" -> one("start"), "end" -> one("end")) ++ optional,
      keys,
      values("closed"),
      values("ordered")
    )
  }

  /**
   * @param columns
   *   the anchors' columns in the output
   * @param times
   *   expressions of the anchors' columns, by their parameters
   * @param keys
   *   pairs that must be equal: an expression of the source's columns, and one of the anchors'
   */
  def apply(
      source: LogicalPlan,
      anchors: LogicalPlan,
      columns: Seq[Expression],
      aggregates: Seq[NamedExpression],
      time: Expression,
      times: Seq[(String, Expression)],
      keys: Seq[(Expression, Expression)],
      closed: Expression,
      ordered: Expression
  ): LogicalPlan = {
    val parts = times ++ keys.zipWithIndex.map { case ((_, ofAnchor), i) => s"key_$i" -> ofAnchor }
    def ofTimes(parameter: String): Expression =
      if (times.exists(_._1 == parameter)) part(parameter) else Literal(null, NullType)
    val packed = Project(
      Alias(FunctionCall(Seq("struct"), columns), anchor)() +:
        parts.map { case (part, expression) => Alias(expression, packedName(part))() },
      anchors
    )
    val condition = FunctionCall(
      Seq(WindowBy.qualifiedName),
      Seq(
        UnresolvedAttribute(Seq(anchor)),
        time,
        part("start"),
        part("end"),
        equalities(keys.map(_._1)),
        closed,
        ofTimes("obsolete"),
        ofTimes("order"),
        ordered
      )
    )
    val joined = JoinOn(packed, source, LeftOuter, condition)
    val first = FunctionCall(Seq("first"), Seq(UnresolvedAttribute(Seq(anchor))))
    UnresolvedRules(ReplacedColumn(
      anchor,
      UnresolvedStar(Some(Seq(anchor))),
      GroupBy(Nil, Alias(first, anchor)() +: aggregates, joined)
    ))
  }

  private def part(part: String): Expression = UnresolvedAttribute(Seq(packedName(part)))

  private def equalities(keys: Seq[Expression]): Expression =
    if (keys.isEmpty) Literal(null, NullType)
    else {
      val equal = keys.zipWithIndex.flatMap { case (ofSource, i) =>
        Seq(Literal(s"key_$i"), EqualTo(part(s"key_$i"), ofSource))
      }
      CreateNamedStruct(equal)
    }

  /** Reads a column of both tables, or `a = b`: the source's column and the anchors' column. */
  private def key(read: Arguments, item: Expression): (Expression, Expression) = item match {
    case column: UnresolvedAttribute => (column, column)
    case EqualTo(ofSource, ofAnchor) => (ofSource, ofAnchor)
    case other =>
      throw read.invalidValue("on", other, "columns or equalities, such as 'k, l' or 'k = key'")
  }
}

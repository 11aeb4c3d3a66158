package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAlias, UnresolvedAttribute, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.expressions.{Arguments, WindowBy}
import org.apache.spark.sql.muntin.spark.{
  AllBut,
  ArgumentsInOrder,
  FunctionCall,
  GroupBy,
  JoinOn,
  LocalSession,
  TableArgument
}
import org.apache.spark.sql.types.{NullType, StringType}

/**
 * The table function window_by: the query that DataFrame code makes of the same tables. Columns and
 * expressions are given as strings, since Spark would resolve them as arguments of the function,
 * where no table has them.
 */
object WindowByTable {
  private val name = WindowBy.name

  /** The parameters that are tables. */
  val tables: Set[String] = Set("source", "anchors")

  val parameters: Seq[InputParameter] = WindowBy.definition.parameters

  // Names that no column has.
  private val anchor = packedName("anchor")

  private def packedName(part: String): String = WindowBy.Prefix + part

  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(name)
    val values = parameters.map(_.name).zip(ArgumentsInOrder(name, parameters, arguments)).toMap
    def one(parameter: String): Expression = list(read, parameter, values(parameter)) match {
      case Seq(expression) => unnamed(expression)
      case several =>
        throw read.invalid(parameter, s"${several.size} expressions; expected is one")
    }
    val keys = read.expression(values("on")).toSeq.flatMap(list(read, "on", _)).map(key(read, _))
    val optional = Seq("obsolete", "order").flatMap { parameter =>
      read.expression(values(parameter)).map(_ => parameter -> one(parameter))
    }
    val parts =
      Seq("start" -> one("start"), "end" -> one("end")) ++ optional ++
        keys.zipWithIndex.map { case ((_, ofAnchor), i) => s"key_$i" -> ofAnchor }
    val packed = Project(
      Alias(
        FunctionCall(Seq("struct"), Seq(UnresolvedStar(None))),
        anchor
      )() +:
        parts.map { case (part, expression) => Alias(expression, packedName(part))() },
      table(read, "anchors", values("anchors"))
    )
    val condition = FunctionCall(
      Seq(WindowBy.qualifiedName),
      Seq(
        UnresolvedAttribute(Seq(anchor)),
        one("time"),
        part("start"),
        part("end"),
        equalities(keys.map(_._1)),
        values("closed"),
        optionalPart("obsolete", optional),
        optionalPart("order", optional),
        values("ordered")
      )
    )
    val joined = JoinOn(packed, table(read, "source", values("source")), LeftOuter, condition)
    val first = FunctionCall(Seq("first"), Seq(UnresolvedAttribute(Seq(anchor))))
    val aggregates = list(read, "aggregates", values("aggregates"))
    named(AllBut(
      anchor,
      UnresolvedStar(Some(Seq(anchor))),
      GroupBy(Nil, Alias(first, anchor)() +: aggregates, joined)
    ))
  }

  /** Applies the rules that run before resolution, which have not seen these strings. */
  private def named(query: LogicalPlan): LogicalPlan =
    PartialInputs(OrderedArguments(ResolveNames(SparkSession.active)(query)))

  private def part(part: String): Expression = UnresolvedAttribute(Seq(packedName(part)))

  private def optionalPart(name: String, parts: Seq[(String, Expression)]): Expression =
    if (parts.exists(_._1 == name)) part(name) else Literal(null, NullType)

  private def equalities(keys: Seq[Expression]): Expression =
    if (keys.isEmpty) Literal(null, NullType)
    else {
      val equal = keys.zipWithIndex.flatMap { case (ofSource, i) =>
        Seq(Literal(s"key_$i"), EqualTo(part(s"key_$i"), ofSource))
      }
      CreateNamedStruct(equal)
    }

  /** A column of both tables, or `a = b`: the source's column and the anchor's. */
  private def key(read: Arguments, item: NamedExpression): (Expression, Expression) =
    unnamed(item) match {
      case column: UnresolvedAttribute => (column, column)
      case EqualTo(ofSource, ofAnchor) => (ofSource, ofAnchor)
      case other =>
        throw read.invalid(
          "on",
          s"'${other.sql}'; expected are columns, such as 'k, l' or 'k = key'"
        )
    }

  private def unnamed(item: Expression): Expression = item match {
    case UnresolvedAlias(child, _) => child
    case Alias(child, _) => child
    case other => other
  }

  private def table(read: Arguments, parameter: String, argument: Expression): LogicalPlan =
    argument match {
      case TableArgument(_, true) =>
        throw read.invalid(
          parameter,
          "a TABLE with a partitioning of its own; which columns are equal is said by on => 'k'"
        )
      case TableArgument(table, _) => table
      case other => throw read.invalid(parameter, s"${other.sql}; expected is TABLE(…)")
    }

  /** What a SELECT can have between SELECT and FROM. */
  private def list(
      read: Arguments,
      parameter: String,
      argument: Expression
  ): Seq[NamedExpression] = {
    val text = argument match {
      case Literal(value, _: StringType) if value != null => value.toString
      case other =>
        throw read.invalid(
          parameter,
          s"${other.sql}; expected is a string, such as '${example(parameter)}'"
        )
    }
    def wrong = read.invalid(
      parameter,
      s"'$text'; expected is a list such as '${example(parameter)}'"
    )
    if (text.isBlank) throw wrong
    val parser = LocalSession.parser(SparkSession.active)
    val parsed =
      try parser.parsePlan(s"SELECT $text")
      catch {
        case e: ParseException =>
          val why = e.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")
          throw read.invalid(parameter, s"'$text', which is no list of expressions: $why")
      }
    parsed match {
      case Project(items, OneRowRelation()) => items
      case _ => throw wrong
    }
  }

  private def example(parameter: String): String = parameter match {
    case "aggregates" => "avg(x) AS mean, count(*) AS n"
    case "on" => "k, l"
    case "time" => "t"
    case _ => "lo"
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAlias, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.spark.{LocalSession, TableArgument}
import org.apache.spark.sql.types.StringType

/**
 * Reads the arguments of a table function. Columns and expressions are strings: Spark would try to
 * resolve expressions as arguments of the function, without a table.
 *
 * @param partitioning
 *   the argument that an error suggests instead of TABLE(…) PARTITION BY, if there is one
 * @param example
 *   an argument for each parameter that is a list
 */
final class TableArguments(
    read: Arguments,
    partitioning: Option[String],
    example: PartialFunction[String, String]
) {
  def table(parameter: String, argument: Expression): LogicalPlan = argument match {
    case TableArgument(_, true) =>
      throw read.error(
        "MUNTIN_PARTITIONED_TABLE_ARGUMENT",
        "parameter" -> parameter,
        "example" -> ("TABLE(…)" +: partitioning.toSeq).mkString(", ")
      )
    case TableArgument(table, _) => table
    case other => throw read.invalidValue(parameter, other, "TABLE(…)")
  }

  /** Parses the items of a list, which may be anything between SELECT and FROM. */
  def list(parameter: String, argument: Expression): Seq[NamedExpression] = {
    val text = argument match {
      case Literal(value, _: StringType) if value != null => value.toString
      case other =>
        throw read.invalidValue(parameter, other, s"a string, such as '${example(parameter)}'")
    }
    def wrong =
      read.invalidValue(parameter, argument, s"a list such as '${example(parameter)}'")
    if (text.isBlank) throw wrong
    val parser = LocalSession.parser(SparkSession.active)
    val parsed =
      try parser.parsePlan(s"SELECT $text")
      catch {
        case e: ParseException =>
          throw read.error(
            "MUNTIN_UNPARSABLE_ARGUMENT",
            "parameter" -> parameter,
            "argument" -> text,
            "error" -> e.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")
          )
      }
    parsed match {
      case Project(items, OneRowRelation()) => items
      case _ => throw wrong
    }
  }

  def one(parameter: String, argument: Expression): Expression = list(parameter, argument) match {
    case Seq(expression) => unnamed(expression)
    case _ => throw read.invalidValue(parameter, argument, "one expression")
  }

  /** Returns the names of columns of `table`, as the table spells them. */
  def columns(parameter: String, argument: Expression, table: LogicalPlan): Seq[String] =
    list(parameter, argument).map(item => column(parameter, unnamed(item), table))

  def column(parameter: String, name: Expression, table: LogicalPlan): String = {
    val sameName = LocalSession.conf(SparkSession.active).resolver
    name match {
      case UnresolvedAttribute(Seq(name)) =>
        table.output.map(_.name).find(sameName(_, name)).getOrElse {
          throw read.error(
            "MUNTIN_UNKNOWN_COLUMN",
            "parameter" -> parameter,
            "column" -> name,
            "columns" -> table.output.map(_.name).mkString(", ")
          )
        }
      case other =>
        throw read.invalidValue(
          parameter,
          other,
          s"names of columns, such as '${example(parameter)}'"
        )
    }
  }

  def unnamed(item: Expression): Expression = item match {
    case UnresolvedAlias(child, _) => child
    case Alias(child, _) => child
    case other => other
  }
}

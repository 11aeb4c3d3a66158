package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Expression,
  Literal,
  WindowExpression,
  WindowFunction
}
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceableAggregate
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.spark.{CalledAggregate, MuntinAnalysisException, PythonAggregate}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Reads the arguments of the SQL function `function` while a query is analyzed. */
final class Arguments(function: String) {

  /** Returns the aggregate that is the function's first argument. */
  def aggregate(argument: Expression): AggregateExpression = argument match {
    case Alias(child, _) => aggregate(child)
    case a: AggregateExpression =>
      a.aggregateFunction match {
        case inner: UnplacedMovingAggregate =>
          throw error("MUNTIN_AGGREGATE_HAS_WINDOW", "aggregate" -> inner.sql)
        case _: RuntimeReplaceableAggregate | _: CurrentRowAggregate => a
        case other if SparkAggregate.canRun(other) => a
        case other => throw notSparks(other)
      }
    case w: WindowExpression => throw isOver(w)
    case w: WindowFunction =>
      val example = if (w.prettyName == "nth_value") "nth(x, n)" else "sum(x)"
      throw notAggregate(w, example)
    case other => throw notAggregate(other, "sum(x)")
  }

  private def notAggregate(argument: Expression, example: String): AnalysisException =
    error("MUNTIN_NOT_AN_AGGREGATE", "argument" -> argument.sql, "example" -> example)

  /**
   * Returns the aggregate that is the function's first argument, which may be a Python aggregate.
   */
  def movable(argument: Expression): AggregateExpression = argument match {
    case Alias(child, _) => movable(child)
    case a @ CalledAggregate(PythonAggregate(python)) =>
      if (a.isDistinct) throw error("MUNTIN_PYTHON_AGGREGATE_DISTINCT", "aggregate" -> a.sql)
      python.arguments.collectFirst { case (Some(name), _) => name }.foreach { name =>
        throw error(
          "MUNTIN_PYTHON_AGGREGATE_NAMED_ARGUMENT",
          "aggregate" -> a.sql,
          "argument" -> name
        )
      }
      a
    case PythonAggregate(_) =>
      movable(argument.asInstanceOf[AggregateFunction].toAggregateExpression())
    case other => aggregate(other)
  }

  /** Returns the error for an aggregate whose OVER clause belongs to the function. */
  def isOver(window: WindowExpression): AnalysisException = error(
    "MUNTIN_OVER_INSIDE_FUNCTION",
    "window" -> window.sql,
    "aggregate" -> window.windowFunction.sql
  )

  /**
   * Returns the error for an aggregate that Python evaluates, and that no operator can move over
   * rows.
   */
  def notSparks(aggregate: Expression): AnalysisException = {
    val inputs = aggregate.children.map(_.sql).mkString(", ")
    val rows = if (aggregate.children.size == 1) inputs else s"struct($inputs)"
    error("MUNTIN_GROUPED_PYTHON_AGGREGATE", "aggregate" -> aggregate.sql, "rows" -> rows)
  }

  /** Reads a positive integer literal. */
  def positive(parameter: String, argument: Expression): Int = {
    val value = argument.dataType match {
      case _: IntegralType if argument.foldable => Option(argument.eval())
      case _ => None
    }
    value.map(_.asInstanceOf[Number].longValue) match {
      case Some(n) if n >= 1L && n <= Int.MaxValue => n.toInt
      case _ =>
        throw invalidValue(
          parameter,
          argument,
          s"a positive integer literal of at most ${Int.MaxValue}"
        )
    }
  }

  /** Reads an integer literal that is 0 or more. */
  def wholeNumber(parameter: String, argument: Expression): Long = {
    val value = argument.dataType match {
      case _: IntegralType if argument.foldable => Option(argument.eval())
      case _ => None
    }
    value.map(_.asInstanceOf[Number].longValue).filter(_ >= 0L).getOrElse {
      throw invalidValue(parameter, argument, "0 or a positive integer literal")
    }
  }

  /** Reads an integer literal that is not 0. */
  def place(parameter: String, argument: Expression): Int = {
    val value = argument.dataType match {
      case _: IntegralType if argument.foldable => Option(argument.eval())
      case _ => None
    }
    value.map(_.asInstanceOf[Number].longValue) match {
      case Some(n) if n != 0L && math.abs(n) <= Int.MaxValue => n.toInt
      case _ =>
        throw invalidValue(
          parameter,
          argument,
          "an integer literal other than 0: n counts from the first value, -n from the last"
        )
    }
  }

  /** Reads a boolean literal. */
  def flag(parameter: String, argument: Expression): Boolean = literal(argument) match {
    case Some(value: Boolean) => value
    case _ => throw invalidValue(parameter, argument, "true or false")
  }

  /** Reads a string literal; None if it is null. */
  def text(parameter: String, argument: Expression): Option[String] =
    if (!argument.foldable) throw notText(parameter, argument)
    else
      argument.eval() match {
        case null => None
        case value: UTF8String => Some(value.toString)
        case _ => throw notText(parameter, argument)
      }

  /** Reads a string literal that is a path; `expected` describes the path in errors. */
  def path(parameter: String, argument: Expression, expected: String): String =
    text(parameter, argument).filter(_.trim.nonEmpty).getOrElse {
      throw invalidValue(parameter, argument, expected)
    }

  private def notText(parameter: String, argument: Expression): AnalysisException =
    invalidValue(parameter, argument, "a string literal")

  /** Reads one of the `allowed` words, in any case. */
  def word(parameter: String, argument: Expression, allowed: Seq[String]): String =
    (literal(argument) match {
      case Some(value: UTF8String) => allowed.find(_.equalsIgnoreCase(value.toString.trim))
      case _ => None
    }).getOrElse {
      val words = allowed.map(w => s"'$w'").mkString(", ")
      throw invalidValue(parameter, argument, s"one of $words")
    }

  /** Reads a map from names to other names; empty if it is omitted. */
  def names(parameter: String, argument: Expression): Map[String, String] =
    expression(argument).fold(Map.empty[String, String]) { given =>
      (given.dataType, literal(given)) match {
        case (MapType(_: StringType, _: StringType, _), Some(map: MapData)) =>
          def texts(array: ArrayData) = array.toSeq[UTF8String](StringType)
          val (keys, values) = (texts(map.keyArray()), texts(map.valueArray()))
          if (values.contains(null) || values.distinct.size < values.size) {
            throw invalidValue(parameter, given, "a map with distinct values")
          }
          keys.zip(values).map { case (key, value) => key.toString -> value.toString }.toMap
        case _ => throw invalidType(parameter, given, "a MAP of names, such as map('x', 'y')")
      }
    }

  /** Reads a condition on a row; None if it is omitted. */
  def condition(parameter: String, argument: Expression): Option[Expression] =
    expression(argument).map { condition =>
      if (condition.dataType != BooleanType) {
        throw invalidType(parameter, condition, "a BOOLEAN, such as x > 0")
      }
      row(parameter, condition)
    }

  /** Reads an expression over a row; None if it is omitted. */
  def expression(argument: Expression): Option[Expression] = argument match {
    case Literal(null, NullType) => None
    case Alias(child, _) => expression(child)
    case other => Some(other)
  }

  /** Returns `argument`, which must be an expression that can be evaluated for any row. */
  def row(parameter: String, argument: Expression): Expression = {
    if (!argument.deterministic) {
      throw error("MUNTIN_NONDETERMINISTIC", "expression" -> argument.sql)
    }
    if (argument.exists(_.isInstanceOf[WindowExpression])) {
      throw error(
        "MUNTIN_WINDOW_FUNCTION_IN_ARGUMENT",
        "parameter" -> parameter,
        "argument" -> argument.sql
      )
    }
    argument
  }

  /** Returns the error for an argument whose value the function does not accept. */
  def invalidValue(parameter: String, argument: Expression, expected: String): AnalysisException =
    error(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "parameter" -> parameter,
      "argument" -> argument.sql,
      "expected" -> expected
    )

  /** Returns the error for an argument whose type the function does not accept. */
  def invalidType(parameter: String, argument: Expression, expected: String): AnalysisException =
    error(
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "parameter" -> parameter,
      "argument" -> argument.sql,
      "type" -> argument.dataType.sql,
      "expected" -> expected
    )

  /**
   * Returns the error for a time zone with a time without time zone; `dataType` is the time's type.
   */
  def zoneOfLocalTime(
      parameter: String,
      zone: Expression,
      time: Expression,
      dataType: DataType
  ): AnalysisException = error(
    "MUNTIN_TIME_ZONE_OF_LOCAL_TIME",
    "parameter" -> parameter,
    "argument" -> zone.sql,
    "time" -> time.sql,
    "type" -> dataType.sql
  )

  /** Returns the error for times that cannot be compared with each other. */
  def noCommonType(times: Expression*): AnalysisException = error(
    "MUNTIN_INCOMPATIBLE_WINDOW_TIMES",
    "types" -> times.map(t => s"`${t.sql}` ${t.dataType.sql}").mkString(", ")
  )

  /** Returns the error for an OVER clause without the ORDER BY that the function requires. */
  def missingOrder(call: Expression): AnalysisException =
    error("MUNTIN_MISSING_ORDER_BY", "call" -> call.sql)

  /** Returns the error for an argument `column` that is not an aggregate with an OVER clause. */
  def notAWindow(column: Expression): AnalysisException =
    error("MUNTIN_NOT_A_WINDOW", "argument" -> column.sql)

  /** Returns an error that names the function. */
  def error(condition: String, parameters: (String, String)*): AnalysisException =
    new MuntinAnalysisException(condition, ("function" -> function) +: parameters: _*)

  private def literal(argument: Expression): Option[Any] =
    if (argument.foldable) Option(argument.eval()) else None
}

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
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.spark.{FunctionOf, PythonAggregate}
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
          throw invalid("agg", s"${inner.sql} has a window of its own already")
        case _: RuntimeReplaceableAggregate | _: OfRowAlone => a
        case other if SparkAggregate.canRun(other) => a
        case other => throw notSparks(other)
      }
    case w: WindowExpression => throw isOver(w)
    case w: WindowFunction =>
      val other =
        if (w.prettyName == "nth_value") "nth(x, n) is the aggregate for it"
        else "expected is an aggregate such as sum(x)"
      throw invalid("agg", s"${w.sql} is a window function and no aggregate; $other")
    case other => throw invalid("agg", s"${other.sql} is no aggregate such as sum(x)")
  }

  /**
   * Returns the aggregate that is the function's first argument, which may be a Python aggregate.
   */
  def movable(argument: Expression): AggregateExpression = argument match {
    case Alias(child, _) => movable(child)
    case a @ FunctionOf(PythonAggregate(python)) =>
      if (a.isDistinct) throw PythonRefusals.distinct(function, a)
      python.arguments.collectFirst { case (Some(name), _) => name }.foreach { name =>
        throw invalid("agg", s"${a.sql}: give the argument $name by its position, without its name")
      }
      a
    case PythonAggregate(_) =>
      movable(argument.asInstanceOf[AggregateFunction].toAggregateExpression())
    case other => aggregate(other)
  }

  /** Returns the error for an aggregate whose OVER clause belongs to the function. */
  def isOver(window: WindowExpression): AnalysisException = invalid(
    "agg",
    s"${window.sql} is a window function already. OVER belongs around $function and not inside " +
      s"it: $function(${window.windowFunction.sql}, …) OVER (…)"
  )

  /**
   * Returns the error for an aggregate that Python evaluates, and that no operator can move over
   * rows.
   */
  def notSparks(aggregate: Expression): AnalysisException = {
    val inputs = aggregate.children.map(_.sql).mkString(", ")
    val rows = if (aggregate.children.size == 1) inputs else s"struct($inputs)"
    invalid(
      "agg",
      s"${aggregate.sql} is evaluated outside of Spark, over whole groups alone. Aggregate the " +
        s"rows to lists with collect_list($rows), and call a function of your own (a UDF) on " +
        "each list"
    )
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
        throw invalid(
          parameter,
          s"${argument.sql}; expected is a positive integer literal, ${Int.MaxValue} at most"
        )
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
        throw invalid(
          parameter,
          s"${argument.sql}; expected is an integer literal that is not 0: n from the first, or " +
            "-n from the last"
        )
    }
  }

  /** Reads a boolean literal. */
  def flag(parameter: String, argument: Expression): Boolean = literal(argument) match {
    case Some(value: Boolean) => value
    case _ => throw invalid(parameter, s"${argument.sql}; expected is true or false")
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

  private def notText(parameter: String, argument: Expression): AnalysisException =
    invalid(parameter, s"${argument.sql}; expected is a string literal")

  /** Reads one of the `allowed` words, in any case. */
  def word(parameter: String, argument: Expression, allowed: Seq[String]): String =
    (literal(argument) match {
      case Some(value: UTF8String) => allowed.find(_.equalsIgnoreCase(value.toString.trim))
      case _ => None
    }).getOrElse {
      val words = allowed.map(w => s"'$w'").mkString(", ")
      throw invalid(parameter, s"${argument.sql}; expected is one of $words")
    }

  /** Reads a condition on a row; None if it is omitted. */
  def condition(parameter: String, argument: Expression): Option[Expression] =
    expression(argument).map { condition =>
      if (condition.dataType != BooleanType) {
        throw invalid(
          parameter,
          s"${condition.sql} has the type ${condition.dataType.sql}; expected is a BOOLEAN, " +
            "such as x > 0"
        )
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
      throw invalid(parameter, s"${argument.sql} is not deterministic")
    }
    if (argument.exists(_.isInstanceOf[WindowExpression])) {
      throw invalid(
        parameter,
        s"${argument.sql} holds a window function; compute it in a subquery first"
      )
    }
    argument
  }

  def invalid(parameter: String, value: String): AnalysisException =
    InvalidArgument(function, parameter, value)

  private def literal(argument: Expression): Option[Any] =
    if (argument.foldable) Option(argument.eval()) else None
}

/** The error for an argument that a function does not accept. */
object InvalidArgument {
  def apply(function: String, parameter: String, value: String): AnalysisException =
    new AnalysisException(
      errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
      messageParameters = Map(
        "parameter" -> s"`$parameter`",
        "functionName" -> s"`$function`",
        "value" -> ShownFrames(value.stripSuffix("."))
      )
    )
}

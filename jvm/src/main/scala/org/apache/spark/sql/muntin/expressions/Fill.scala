package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.muntin.spark.{FunctionCall, OverCall}
import org.apache.spark.sql.types.NumericType

/**
 * fill: a row's value, or, if it is null, a value from the rows before and after it. It is computed
 * from the nearest non-null values, which lag and lead find:
 *
 *     fill(x) OVER (ORDER BY t)     Filled(x, t, lag(known) IGNORE NULLS OVER (ORDER BY t),
 *                                       lead(known) IGNORE NULLS OVER (ORDER BY t))
 *     known                         struct(x, t) where x is not null
 */
object Fill extends AroundAggregate {
  val Linear = "linear"
  val LastValue = "last"
  val Next = "next"
  val NearestValue = "nearest"

  private val methods = Seq(Linear, LastValue, Next, NearestValue)

  override def definition: Definition = Definitions.fill

  // Only for calls outside an OVER clause.
  override protected def build: PartialFunction[Seq[Expression], Expression] = { case x +: _ =>
    throw new AnalysisException(
      errorClass = "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
      messageParameters = Map("funcName" -> s""""$name(${x.sql})"""")
    )
  }

  override def specification(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition
  ): WindowSpecDefinition = {
    if (call.filter.isDefined || call.isDistinct || FunctionCall.hasNullTreatment(call)) {
      throw new Arguments(name).error("MUNTIN_CLAUSE_OF_FILL", "call" -> call.sql)
    }
    if (spec.orderSpec.isEmpty) throw new Arguments(name).missingOrder(call)
    if (spec.frameSpecification != UnspecifiedFrame) {
      throw new Arguments(name).error("MUNTIN_UNEXPECTED_FRAME", "frame" -> FrameText(spec))
    }
    spec
  }

  override def around(
      arguments: Seq[Expression],
      spec: WindowSpecDefinition
  ): (Expression, Seq[Expression]) = {
    val (x, method) = (arguments(0), arguments(1))
    val time = spec.orderSpec.head.child
    val present = CreateNamedStruct(Seq(Literal("value"), x, Literal("time"), time))
    // Without a null literal: Spark would have to cast it, and does not support casts to TIME.
    val presentValue = CaseWhen(Seq(IsNotNull(x) -> present))
    val before = Lag(presentValue, Literal(1), Literal(null), ignoreNulls = true)
    val after = Lead(presentValue, Literal(1), Literal(null), ignoreNulls = true)
    methodOf(method) match {
      case LastValue => (before, arguments :+ time)
      case Next => (after, arguments :+ time)
      case _ => (before, arguments :+ time :+ OverCall(after, spec))
    }
  }

  private[muntin] def methodOf(method: Expression): String =
    new Arguments(name).word("method", method, methods)

  override private[muntin] def inWindow(
      arguments: Seq[Expression],
      spec: WindowSpecDefinition
  ): Expression = arguments.head

  override private[muntin] def result(
      window: WindowExpression,
      arguments: Seq[Expression]
  ): Expression = {
    val (x, maxGap, time) = (arguments(1), arguments(3), arguments(4))
    val method = methodOf(arguments(2))
    val order = window.windowSpec.orderSpec.head
    Filled(
      new Arguments(name).row("x", x),
      time,
      if (method == Next) None else Some(window),
      if (method == Next) Some(window) else arguments.lift(5),
      method,
      mostDistance(method, x, maxGap, time),
      descending = order.direction == Descending
    )
  }

  /**
   * Returns the maximum distance to values of `x`, in units of `time`, if it is given; checks that
   * it fits both.
   */
  private[muntin] def mostDistance(
      method: String,
      x: Expression,
      maxGap: Expression,
      time: Expression
  ): Option[BigDecimal] = {
    val read = new Arguments(name)
    if (method == Linear && !x.dataType.isInstanceOf[NumericType]) {
      throw read.invalidType(
        "x",
        x,
        "a number, because method => 'linear' interpolates; method => 'last' fills in any type"
      )
    }
    val isMeasured = Set(Linear, NearestValue)(method) || read.expression(maxGap).isDefined
    if (isMeasured) new FieldNumbers(read, time, "ORDER BY").positive("max_gap", maxGap) else None
  }

  override private[muntin] def title(
      window: WindowExpression,
      arguments: Seq[Expression]
  ): Option[String] = {
    val others = Seq("method", "max_gap").zip(arguments.slice(2, 4)).map { case (name, value) =>
      name -> Option(value.eval()).map(_.toString) -> toPrettySQL(value)
    }
    val written = toPrettySQL(arguments(1)) +: others.collect {
      case ((parameter, Some(value)), shown) if value != Linear => s"$parameter => $shown"
    }
    val spec = window.windowSpec
    def list(words: String, of: Seq[Expression]) =
      if (of.isEmpty) None else Some(s"$words ${of.map(toPrettySQL(_)).mkString(", ")}")
    val overClause = list("PARTITION BY", spec.partitionSpec) ++ list("ORDER BY", spec.orderSpec)
    Some(s"$name(${written.mkString(", ")}) OVER (${overClause.mkString(" ")})")
  }
}

package org.apache.spark.sql.muntin.expressions.common

import scala.annotation.unused

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{UnresolvedException, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.{FrameBetween, FunctionCall}
import org.apache.spark.sql.types.DataType

/** A function whose first argument is an aggregate; the function is an aggregate itself. */
trait AroundAggregate extends SqlFunction {

  /**
   * Returns the OVER clause for the aggregate inside; `spec` is the clause of `call` of this
   * function.
   */
  def specification(call: UnresolvedFunction, spec: WindowSpecDefinition): WindowSpecDefinition = {
    if (call.filter.isDefined) {
      throw misplaced("FILTER", s"$name(sum(x) FILTER (WHERE …), …)")
    }
    if (call.isDistinct) throw misplaced("DISTINCT", s"$name(count(DISTINCT x), …)")
    if (FunctionCall.hasNullTreatment(call)) {
      throw misplaced("IGNORE NULLS", s"$name(first(x) IGNORE NULLS, …)")
    }
    spec
  }

  /**
   * Returns the function in the OVER clause `spec`, over the aggregate and its other arguments, all
   * resolved.
   */
  private[muntin] def inWindow(
      arguments: Seq[Expression],
      @unused spec: WindowSpecDefinition
  ): Expression = build(arguments)

  /**
   * Returns the expression that replaces the call in the OVER clause, and the other arguments; all
   * are unresolved.
   */
  def around(
      arguments: Seq[Expression],
      @unused spec: WindowSpecDefinition
  ): (Expression, Seq[Expression]) = (arguments.head, arguments.tail)

  /**
   * Returns the name of a column that a query does not name; None to derive it from the OVER
   * clause.
   */
  private[muntin] def title(
      @unused window: WindowExpression,
      @unused arguments: Seq[Expression]
  ): Option[String] = None

  /** Returns the result of the call; `window` is the function in its OVER clause. */
  private[muntin] def result(
      window: WindowExpression,
      @unused arguments: Seq[Expression]
  ): Expression = window

  private def misplaced(clause: String, example: String): AnalysisException =
    new Arguments(name).error(
      "MUNTIN_CLAUSE_OF_INNER_AGGREGATE",
      "clause" -> clause,
      "example" -> example
    )
}

/** A function that determines the rows of its aggregate, and is allowed only in an OVER clause. */
trait MovingFunction extends AroundAggregate {

  /**
   * Returns true if the function itself determines the rows in the windows. Then its OVER clause
   * has no frame.
   */
  def bringsFrame: Boolean

  /**
   * Returns the function over these arguments in an OVER clause, in the form in which it is
   * evaluated.
   */
  protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate]

  // Only for calls outside an OVER clause.
  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case (window: WindowExpression) +: _ => throw new Arguments(name).isOver(window)
    case Alias(window: WindowExpression, _) +: _ => throw new Arguments(name).isOver(window)
    case agg +: _ =>
      throw new AnalysisException(
        errorClass = "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
        messageParameters = Map("funcName" -> s""""$name(${agg.sql}, …)"""")
      )
  }

  override private[muntin] def inWindow(
      arguments: Seq[Expression],
      spec: WindowSpecDefinition
  ): Expression = UnplacedMovingAggregate(moving(spec)(arguments))

  override def specification(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition
  ): WindowSpecDefinition = {
    val checked = super.specification(call, spec)
    if (bringsFrame) withFrame(call, checked) else checked
  }

  private val upToCurrentRow = FrameBetween(RowFrame, UnboundedPreceding, CurrentRow)

  private def withFrame(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition
  ): WindowSpecDefinition = {
    if (spec.orderSpec.isEmpty) throw new Arguments(name).missingOrder(call)
    spec.frameSpecification match {
      case UnspecifiedFrame | `upToCurrentRow` => spec.copy(frameSpecification = upToCurrentRow)
      case _ =>
        throw new Arguments(name).error("MUNTIN_UNEXPECTED_FRAME", "frame" -> FrameText(spec))
    }
  }
}

/**
 * A call of `function` around an aggregate in an OVER clause, until its arguments are resolved. In
 * `window` only the aggregate is in the clause, so Spark resolves, coerces and checks it as a
 * window function.
 */
final case class UnresolvedAround(
    function: AroundAggregate,
    window: Expression,
    arguments: Seq[Expression]
) extends Expression
    with Unevaluable {
  override lazy val resolved: Boolean = false

  override def children: Seq[Expression] = window +: arguments

  override def dataType: DataType = throw new UnresolvedException("dataType")

  override def nullable: Boolean = throw new UnresolvedException("nullable")

  override def prettyName: String = function.name

  override def toString: String = s"${function.name}(${children.mkString(", ")})"

  override def sql: String = s"${function.name}(${children.map(_.sql).mkString(", ")})"

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : UnresolvedAround =
    copy(window = newChildren.head, arguments = newChildren.tail)
}

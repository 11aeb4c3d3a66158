package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression,
  NamedExpression,
  WindowExpression
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnaryNode, Window}
import org.apache.spark.sql.muntin.execution.python.PythonCall
import org.apache.spark.sql.muntin.expressions.common.MovingAggregate
import org.apache.spark.sql.muntin.spark.{AggregateCall, OverCall, PythonAggregate}

/**
 * Adds the results of Python's aggregates to the child's rows, which contain the rows of each
 * window as lists: for windows of groups, of anchors and of streams.
 */
final case class PythonWindows(calls: Seq[PythonCall], results: Seq[Attribute], child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output ++ results

  override def producedAttributes: AttributeSet = AttributeSet(results)

  override protected def withNewChildInternal(newChild: LogicalPlan): PythonWindows =
    copy(child = newChild)
}

/** A Python aggregate in an OVER clause, with its FILTER and the motion around it. */
private[plans] final case class PythonOver(
    python: PythonAggregate,
    filter: Option[Expression],
    moving: Option[MovingAggregate],
    window: WindowExpression
) {

  /** Returns another aggregate over the same windows. */
  def over(function: AggregateFunction): WindowExpression = {
    val call = moving.fold(AggregateCall(function, isDistinct = false, filter)) { around =>
      AggregateCall(around.withAggregate(function), isDistinct = false, None)
    }
    OverCall(call, window.windowSpec)
  }

  def result: Attribute = AttributeReference(window.sql, python.dataType)()
}

/** Matches a Python aggregate in an OVER clause. */
private[plans] object InPython {
  def unapply(window: WindowExpression): Option[PythonOver] = window match {
    case OverCall(AggregateCall(moving: MovingAggregate, false, None), _) =>
      val inside = moving.aggregated
      PythonAggregate
        .unapply(inside.function)
        .map(PythonOver(_, inside.filter, Some(moving), window))
    case OverCall(AggregateCall(PythonAggregate(python), false, filter), _) =>
      Some(PythonOver(python, filter, None, window))
    case OverCall(PythonAggregate(python), _) => Some(PythonOver(python, None, None, window))
    case _ => None
  }
}

private[plans] object PythonOver {

  /** Returns the Python aggregates in an output. */
  def in(output: Expression): Seq[PythonOver] = output.collect { case InPython(over) => over }

  /** Returns the output, with columns in place of its Python aggregates. */
  def replaced(
      output: NamedExpression
  )(column: WindowExpression => Expression): NamedExpression = output
    .transformDown { case w @ InPython(_) => column(w) }
    .asInstanceOf[NamedExpression]

  /**
   * Returns the window with lists of rows in place of Python aggregates, and the function that
   * computes its output from the result; None if it has no Python aggregate.
   */
  def lists(window: Window): Option[(Window, LogicalPlan => LogicalPlan)] = {
    val overs = window.windowExpressions.flatMap(in).distinct
    if (overs.isEmpty) None
    else {
      val listed = overs.map(o => Alias(o.over(PythonCall.rowsOf(o.python)), o.python.name)())
      val (python, others) = window.windowExpressions.partition(in(_).nonEmpty)
      val results = overs.map(_.result)
      val calls = overs.zip(listed).map { case (o, list) =>
        PythonCall.ofLists(o.python, list.toAttribute)
      }
      val column = overs.map(_.window).zip(results).toMap
      val outputs = python.map(replaced(_)(column))
      Some((
        window.copy(windowExpressions = others ++ listed),
        placed => {
          val made = outputs.map(o => o.exprId -> o).toMap
          Project(
            window.output.map(a => made.getOrElse(a.exprId, a)),
            PythonWindows(calls, results, placed)
          )
        }
      ))
    }
  }
}

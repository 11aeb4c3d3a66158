package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, First}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.muntin.execution.frames.{FramePlan, MotionPlan, SincePlan, SlidingPlan}
import org.apache.spark.sql.muntin.execution.over.{MuntinWindowExec, OverPlan}
import org.apache.spark.sql.muntin.execution.python.{PythonCall, PythonWindowsExec, WindowEnds}
import org.apache.spark.sql.muntin.plans.logical.PythonOver
import org.apache.spark.sql.muntin.spark.{AggregateCall, FrameBetween, OverCall, OverClause}
import org.apache.spark.sql.types.IntegerType

/**
 * Runs Python's aggregates in OVER clauses. Two aggregates that run under any motion locate their
 * windows: the position of the window's first row, and the number of its rows.
 *
 *     mean_py(x) OVER (ORDER BY t ROWS 2 PRECEDING)
 *
 *     below       row_number() OVER (ORDER BY t) AS p
 *     then        first(p) OVER (ORDER BY t ROWS 2 PRECEDING), count(1) OVER (…)
 *     in Python   x, p = 1 where a partition begins, and the ends of each row's window
 *
 * If a FILTER or `where` selects the rows that count, positions are positions among these rows.
 * Windows with gaps have no ends: Python gets their rows as lists.
 */
private[plans] final class PythonEnds(
    outputs: Seq[NamedExpression],
    partition: Seq[Expression],
    order: Seq[SortOrder]
) {
  private val overs = outputs.flatMap(PythonOver.in).distinct

  /** Returns the first function that cannot run in this way. */
  def unsupported: Option[PythonOver] = overs.find(!isRun(_))

  /** Returns the rows of `child` with the outputs. */
  def nodesOver(child: SparkPlan): SparkPlan = {
    val computed = new Computed(child)
    val running = spec(UnboundedPreceding)
    val start = Alias(OverCall(RowNumber(), running), "start")()
    val lanes = overs.flatMap(laneOf(_)).distinct.map { condition =>
      val lane = computed(Coalesce(Seq(condition, Literal(false))))
      val inside = Count(If(lane, Literal(1), Literal.create(null, IntegerType)))
      condition -> (lane, Alias(count(inside, running), "position")())
    }.toMap
    val positions: Seq[NamedExpression] = start +: lanes.values.map(_._2).toVector
    val planned = overs.map { over =>
      if (!hasEnds(over)) {
        val list = Alias(over.over(PythonCall.rowsOf(over.python)), "rows")()
        (Seq(list), PythonCall.ofLists(over.python, list.toAttribute))
      } else {
        val lane = laneOf(over).map(lanes)
        val position = lane.fold(start)(_._2).toAttribute
        val first = Alias(over.over(First(position, ignoreNulls = false)), "first")()
        val size = Alias(over.over(Count(Literal(1))), "size")()
        val ends = WindowEnds(first.toAttribute, size.toAttribute, lane.map(_._1))
        val arguments = over.python.arguments.map(a => computed(a._2))
        (Seq(first, size), PythonCall.ofEnds(over.python, arguments, ends))
      }
    }
    val input = computed.plan
    val numbered = windows(positions, input)
    val found = windows(planned.flatMap(_._1), numbered)
    val results = overs.map(_.result)
    val evaluated = PythonWindowsExec.nodesOver(
      planned.map(_._2),
      results,
      child.output,
      Some(start.toAttribute),
      partition,
      order,
      found
    )
    val column = overs.map(_.window).zip(results).toMap
    ProjectExec(child.output ++ outputs.map(PythonOver.replaced(_)(column)), evaluated)
  }

  private def spec(lower: Expression): WindowSpecDefinition =
    OverClause(partition, order, FrameBetween(RowFrame, lower, CurrentRow))

  private def count(of: Count, spec: WindowSpecDefinition): WindowExpression =
    OverCall(AggregateCall(of, isDistinct = false, None), spec)

  private def motion(over: PythonOver): Option[MotionPlan] = FramePlan.of(over.window)

  private def hasEnds(over: PythonOver): Boolean = motion(over).exists {
    case _: FramePlan | _: SlidingPlan | _: SincePlan => true
    case _ => false
  }

  /** Returns the condition of the rows that are in windows; None if all rows are. */
  private def laneOf(over: PythonOver): Option[Expression] =
    (motion(over).flatMap(_.where) ++ over.filter).reduceOption(And(_, _))

  private def isRun(over: PythonOver): Boolean =
    OverPlan.supports(over.over(Count(Literal(1)))) && !over.python.hasFrames &&
      (hasEnds(over) || OverPlan.supports(over.over(PythonCall.rowsOf(over.python))))

  private def windows(functions: Seq[NamedExpression], rows: SparkPlan): SparkPlan =
    MuntinWindowExec(functions, partition, order, rows)(OverPlan.of(functions).get)

  /** The child with columns for expressions of its rows. */
  private final class Computed(child: SparkPlan) {
    private var columns = Vector.empty[Alias]

    def apply(expression: Expression): Expression = expression match {
      case a: Attribute => a
      case l: Literal => l
      case other =>
        columns.find(c => c.child.deterministic && c.child.semanticEquals(other)) match {
          case Some(known) => known.toAttribute
          case None =>
            val made = Alias(other, "computed")()
            columns :+= made
            made.toAttribute
        }
    }

    def plan: SparkPlan =
      if (columns.isEmpty) child else ProjectExec(child.output ++ columns, child)
  }
}

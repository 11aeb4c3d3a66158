package org.apache.spark.sql.muntin.execution.over

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.optimizer.ConstantFolding
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.classic.{DataFrame, Dataset}
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.types.{DataType, DoubleType, LongType}

/** A query is planned once: every copy of the operator shares the plan of the first. */
final class OverPlanSuite extends MuntinSession {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.adaptive.enabled" -> "false",
    "spark.sql.optimizer.excludedRules" -> ConstantFolding.ruleName
  )

  private val functions = Seq("sum(id * 2)", "avg(id)", "max(id)", "percentile(id, 0.5D)")

  /** The offsets of its frames are OverPlanSuite.Offset. */
  private def query: DataFrame = {
    val columns = functions.map(f => s"$f OVER (ORDER BY id RANGE 7L PRECEDING)")
    val made = spark.sql(s"SELECT id, ${columns.mkString(", ")} FROM range(0, 40, 1, 2)")
    Dataset.ofRows(
      spark,
      made.queryExecution.analyzed.transformAllExpressions { case Literal(7L, LongType) =>
        OverPlanSuite.Offset(7L)
      }
    )
  }

  test("each function is checked once and planned once") {
    val made = query
    val windows =
      made.queryExecution.analyzed.collect { case w: Window => w.windowExpressions }.flatten
    def plannings(body: => Unit): Int = {
      OverPlanSuite.Evaluated.set(0)
      body
      OverPlanSuite.Evaluated.get
    }
    val once = plannings(OverPlan.of(windows): Unit)
    assert(once >= functions.size)
    // A rule changes the argument of the first function, which is then another function.
    val each = once / functions.size
    assert(plannings(made.queryExecution.sparkPlan: Unit) <= 2 * once + each)
  }

  test("copies of an operator share its plan, and equal operators with a separate plan") {
    val made = query
    val planned = made.queryExecution.sparkPlan.collect { case w: MuntinWindowExec => w.plan }
    val node = muntinNodes(made).head
    assert(planned.size === 1 && (planned.head eq node.plan))
    val other = node.copy()(OverPlan.of(node.windowExpression).get)
    assert((other.plan ne node.plan) && other === node && node.clone() === node)
    assert(other.canonicalized === node.canonicalized)
  }

  test("functions that a rule replaces are planned again") {
    val node = muntinNodes(query).head
    val other = node
      .transformExpressions { case Literal(0.5, DoubleType) => Literal(0.25) }
      .asInstanceOf[MuntinWindowExec]
    assert(node.plan.isOf(node.windowExpression))
    assert(other.plan.isOf(other.windowExpression) && !other.plan.isOf(node.windowExpression))
    assert(other.plan.functions.map(_.window.sql).last.contains("0.25"))
  }
}

object OverPlanSuite {

  /** The number of evaluations of an offset: planning evaluates it for each frame. */
  private val Evaluated = new AtomicInteger

  final case class Offset(value: Long) extends LeafExpression with CodegenFallback {
    override def foldable: Boolean = true
    override def nullable: Boolean = false
    override def dataType: DataType = LongType

    override def eval(input: InternalRow): Any = {
      Evaluated.incrementAndGet(): Unit
      value
    }
  }
}

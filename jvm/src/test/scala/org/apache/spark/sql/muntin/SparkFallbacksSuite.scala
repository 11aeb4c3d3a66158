package org.apache.spark.sql.muntin

import org.apache.logging.log4j.Level
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.LeafLike
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.FormattedMode
import org.apache.spark.sql.muntin.plans.over.SparkFallbacks
import org.apache.spark.sql.types.{DataType, DoubleType}

/**
 * The reasons why Spark runs a window: each reason, in the plan and, if the setting is on, in
 * EXPLAIN.
 */
final class SparkFallbacksSuite extends MuntinSession {
  private val Providers = "spark.sql.extendedExplainProviders"

  private val t = "range(3) AS t(id)"

  private def reasons(frame: DataFrame): Seq[String] =
    SparkFallbacks.reasons(frame.queryExecution.executedPlan)

  private def reasonsOf(query: String): Seq[String] = reasons(spark.sql(query))

  private val sum = "sum(id) OVER (ORDER BY id)"
  private val own = "sparks_own(id) OVER (ORDER BY id)"

  private def isNotDeterministic(reason: String): Boolean =
    reason.startsWith("sparks_own(id) OVER (ORDER BY id ASC NULLS FIRST RANGE BETWEEN ") &&
      reason.endsWith("): its function is not deterministic")

  test("the setting is off") {
    withMuntin(enabled = false) {
      val found = reasonsOf(s"SELECT $sum, max(id) OVER () FROM $t")
      assert(found.size === 2)
      assert(found.forall(_.endsWith("): `spark.muntin.over.enabled` is `false`")), found)
    }
  }

  test("a nondeterministic function, next to others, after execution, in a subquery") {
    for (functions <- Seq(own, s"$own, $sum")) {
      val frame = spark.sql(s"SELECT $functions FROM $t")
      assert(reasons(frame).map(isNotDeterministic) === Seq(true), functions)
      frame.collect(): Unit
      assert(reasons(frame).map(isNotDeterministic) === Seq(true), functions)
    }
    val inside = reasonsOf(s"SELECT id, (SELECT max(o) FROM (SELECT $own AS o FROM $t)) FROM $t")
    assert(inside.map(isNotDeterministic) === Seq(true))
  }

  test("a RANGE offset that Muntin does not add") {
    val found = reasonsOf(
      s"SELECT count(*) OVER (ORDER BY id RANGE CAST(NULL AS BIGINT) PRECEDING) FROM $t"
    )
    assert(found.size === 1)
    assert(found.head.endsWith("): Muntin does not add the offset of its RANGE frame"), found)
  }

  test("a window function of another library") {
    spark.sessionState.functionRegistry
      .createOrReplaceTempFunction("share", _ => SparkFallbacksSuite.Share(), "scala_udf")
    val found = reasonsOf(s"SELECT share() OVER (ORDER BY id) FROM $t")
    assert(found.size === 1)
    assert(found.head.startsWith("share() OVER (ORDER BY id "))
    assert(found.head.endsWith("): Muntin does not run its function"))
  }

  test("the log has the reason, once") {
    val lines = Warnings.lines(SparkFallbacks.getClass, Level.INFO) {
      spark.sql(s"SELECT $own FROM $t").collect()
    }
    assert(lines.size === 1)
    assert(isNotDeterministic(lines.head.stripPrefix("Spark runs ")), lines)
  }

  test("no reason if Muntin runs the window, or without a window") {
    assert(reasonsOf(s"SELECT $sum, sliding(sum(id), 2) OVER (ORDER BY id) FROM $t") === Nil)
    assert(reasonsOf(s"SELECT max(id) FROM $t") === Nil)
  }

  test("EXPLAIN has the reasons if the setting names the provider, next to another provider") {
    def explained(query: String) =
      spark.sql(query).queryExecution.explainString(FormattedMode)
    assert(!explained(s"SELECT $own FROM $t").contains("Muntin"))
    val other = classOf[SparkFallbacksSuite.Other].getName
    withConf(Providers -> s"$other,${classOf[ExplainWindows].getName}") {
      val text = explained(s"SELECT $own FROM $t")
      assert(text.contains("== Extended Information (Muntin) ==\nSpark runs sparks_own(id) OVER"))
      assert(text.contains("RANGE BETWEEN"))
      assert(text.contains("): its function is not deterministic.\n"))
      assert(text.contains("(another) ==\nof another"))
      assert(explained(s"SELECT $sum FROM $t").contains("No window is left to Spark.\n"))
      spark.sql(s"SELECT $own FROM $t").collect(): Unit
      spark.sparkContext.listenerBus.waitUntilEmpty()
      val shown = spark.sharedState.statusStore.executionsList().last.physicalPlanDescription
      assert(shown.contains("): its function is not deterministic.\n"), shown)
    }
  }
}

object SparkFallbacksSuite {

  /** The share of the rows up to the current row. */
  final case class Share()
      extends RowNumberLike
      with SizeBasedWindowFunction
      with LeafLike[Expression] {
    override def prettyName: String = "share"
    override def dataType: DataType = DoubleType
    override lazy val evaluateExpression: Expression =
      Divide(Cast(rowNumber, DoubleType), Cast(n, DoubleType))
  }

  final class Other extends org.apache.spark.sql.muntin.spark.ExplainProvider {
    override def title: String = "another"
    override def generateExtendedInfo(plan: org.apache.spark.sql.execution.SparkPlan): String =
      "of another"
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.execution.exchange.{EnsureRequirements, ShuffleExchangeLike}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{
  Halo,
  MuntinSampleExec,
  SortedInput,
  SortedInputExec
}
import org.apache.spark.sql.muntin.plans.physical.PlaceInputs

/** The inputs of an operator that no rule names are placed, because the operator declares them. */
final class PlaceInputsSuite extends MuntinSession {

  /** The names of the nodes from each child to its rows. */
  private def placed(halo: Option[Halo], inAnyOrder: Boolean): (SparkPlan, Seq[Seq[String]]) = {
    def rows = spark.range(9).selectExpr("id % 3 AS k", "id AS t").queryExecution.sparkPlan
    val (left, right) = (rows, rows)
    val inputs = Seq(left, right).map { side =>
      SortedInput.ascending(side.output.take(1), side.output(1)).copy(inAnyOrder = inAnyOrder)
    }
    val plan = spark.withActive {
      PlaceInputs(EnsureRequirements()(Declared(inputs, halo, left, right)))
    }
    def names(of: SparkPlan): Seq[String] = of match {
      case _: MuntinSortExec | _: MuntinSampleExec | _: ShuffleExchangeLike =>
        of.nodeName +: names(of.children.head)
      case other if other.nodeName == "Sort" => other.nodeName +: names(other.children.head)
      case _ => Nil
    }
    (plan, plan.children.map(names))
  }

  test("sorts, a sample and exchanges are placed below an operator that declares its inputs") {
    val (sort, exchange, split) =
      (MuntinConf.SortEnabled.key, MuntinConf.ExchangeEnabled.key, MuntinConf.SplitEnabled.key)
    val ours = Seq("MuntinSort", "MuntinExchange")
    def inSession(settings: (String, String)*)(halo: Option[Halo]): Seq[Seq[String]] =
      withConf(Seq(sort, exchange, split).map(_ -> "true") ++ settings: _*) {
        placed(halo, inAnyOrder = false)._2
      }
    val some = Some(Halo.NoRows)
    assert(inSession()(some) === Seq(ours :+ "MuntinSample", ours))
    assert(inSession()(None) === Seq(ours, ours))
    assert(inSession(split -> "false")(some) === Seq(ours, ours))
    assert(inSession(sort -> "false")(None) === Seq.fill(2)(Seq("Sort", "MuntinExchange")))
    assert(inSession(exchange -> "false")(None) === Seq.fill(2)(Seq("MuntinSort", "Exchange")))
  }

  test("a sort emits groups in any order if the operator declares it") {
    for (inAnyOrder <- Seq(true, false)) {
      val plan = placed(None, inAnyOrder)._1
      assert(plan.collect { case s: MuntinSortExec => s.inAnyOrder } === Seq.fill(2)(inAnyOrder))
    }
  }
}

private final case class Declared(
    inputs: Seq[SortedInput],
    override val halo: Option[Halo],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with SortedInputExec {
  override def output: Seq[Attribute] = left.output

  override protected def doExecute(): RDD[InternalRow] = left.execute()

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): Declared = copy(left = newLeft, right = newRight)
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, SparkStrategy}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.muntin.parsing.StandardWords
import org.apache.spark.sql.muntin.plans.anchored.{CheckAnchoredWindows, PlaceAnchoredWindows}
import org.apache.spark.sql.muntin.plans.asof.{
  CheckAsOf,
  PlaceAsOfJoins,
  PlaceAsOfRows,
  TakeAsOfJoins
}
import org.apache.spark.sql.muntin.plans.checks.{
  RefuseRollingAggregates,
  SuggestExpressions,
  WarnEmptyFrames,
  WarnIntervalsOfNumbers,
  WarnSettings
}
import org.apache.spark.sql.muntin.plans.dialect._
import org.apache.spark.sql.muntin.plans.groups.{
  CheckGroupWindows,
  PlaceCorrelatedWindows,
  PlaceGroupWindows,
  ResolveGroupWindows
}
import org.apache.spark.sql.muntin.plans.logical.OptimizeWindows
import org.apache.spark.sql.muntin.plans.over._
import org.apache.spark.sql.muntin.plans.physical.{PlaceInputs, SplitWindows, WindowsStrategy}
import org.apache.spark.sql.muntin.plans.refresh.PlaceRefresh
import org.apache.spark.sql.muntin.plans.streams._
import org.apache.spark.sql.muntin.spark.{EarlyRules, ParserWithTokens, PreOptimizerRule}

/**
 * Everything that Muntin adds to a session. Everything that can fail (a class that does not load, a
 * setting that exists already) fails while the list is created, so a session gets all of the list
 * or none.
 */
private[muntin] object Injections {

  /** Adds one thing to a session's extensions; it does not fail. */
  type Injection = SparkSessionExtensions => Unit

  def all(): Seq[Injection] = {
    MuntinConf.register()
    MuntinFunctions.all.map(function) ++ MuntinFunctions.tables.map(table) ++ Seq(
      parser,
      early,
      resolution(ResolvePartialInputs),
      resolution(ResolveAroundAggregates),
      resolution(PlaceFramed),
      resolution(ResolveOverAggregates),
      resolution(ResolveGroupWindows),
      resolution(ResolveWindowsOfWindows),
      resolution(PlaceAsOfJoins),
      resolution(ResolveResample),
      postHoc(RefuseStreams),
      postHoc(SuggestExpressions),
      postHoc(RefuseRollingAggregates),
      postHoc(PlaceBounds),
      postHoc(CheckTableArguments),
      postHoc(PythonGroups),
      postHoc(PlaceGroupWindows),
      postHoc(TakeAsOfJoins),
      postHoc(PlaceAsOfRows.OfStreams),
      postHoc(PlaceAnchoredWindows),
      postHoc(PlaceStreamWindows),
      postHocOf(PlacePending),
      postHocOf(PlaceBootstrap),
      postHocOf(PlaceChange),
      postHocOf(PlaceRefresh),
      postHoc(ResolveRevision),
      postHoc(UncoverMistakes),
      bodies,
      check(CheckBounds),
      check(CheckGroupWindows),
      check(CheckAsOf),
      check(CheckAnchoredWindows),
      check(CheckWatermarks),
      check(ArrivalTimes.Check),
      check(CheckGroupOrder),
      check(CheckStateSource),
      check(CheckRevision),
      check(WarnEmptyFrames),
      check(WarnIntervalsOfNumbers),
      check(WarnSettings),
      checkpoints,
      stateStore,
      late(PlaceAsOfJoins.AtRoot),
      normalization(PlaceCorrelatedWindows),
      optimizer(PlaceAsOfRows),
      optimizer(CountWithoutCollecting),
      optimizer(RemoveIdleWindows),
      optimizer(MergeWindows),
      optimizer(InlineArguments),
      optimizer(OptimizeWindows),
      strategy(WindowsStrategy),
      over(OverStrategy),
      stagePrep(PlaceInputs),
      columnar(PlaceInputs.WithoutStages),
      stageOptimizer(SplitWindows)
    )
  }

  private def function(function: SqlFunction): Injection = {
    val info = function.info
    _.injectFunction((FunctionIdentifier(function.qualifiedName), info, function(_)))
  }

  private def table(table: TableFunction): Injection = {
    val info = table.function.info
    _.injectTableFunction(
      (FunctionIdentifier(table.function.qualifiedName), info, table.table(_))
    )
  }

  /** Wraps the parser of earlier extensions; later extensions wrap this parser. */
  private def parser: Injection = {
    val words = StandardWords
    _.injectParser((_, parent) => new ParserWithTokens(parent, words(_)))
  }

  // Each takes the rule itself, not by name: its class is loaded here.
  private def resolution(rule: Rule[LogicalPlan]): Injection = _.injectResolutionRule(_ => rule)
  private def late(rule: Rule[LogicalPlan]): Injection = PreOptimizerRule.inject(_, rule)
  private def postHoc(rule: Rule[LogicalPlan]): Injection = _.injectPostHocResolutionRule(_ => rule)
  private def normalization(rule: Rule[LogicalPlan]): Injection =
    _.injectPlanNormalizationRule(_ => rule)
  private def check(rule: LogicalPlan => Unit): Injection = _.injectCheckRule(_ => rule)
  private def optimizer(rule: Rule[LogicalPlan]): Injection = _.injectOptimizerRule(_ => rule)
  private def strategy(strategy: SparkStrategy): Injection = _.injectPlannerStrategy(_ => strategy)
  private def stagePrep(rule: Rule[SparkPlan]): Injection = _.injectQueryStagePrepRule(_ => rule)
  private def columnar(rule: ColumnarRule): Injection = _.injectColumnar(_ => rule)

  private def stageOptimizer(rule: Rule[SparkPlan]): Injection =
    _.injectQueryStageOptimizerRule(_ => rule)

  // Rules that need the functions of the session.
  private def early: Injection = {
    val names = ResolveNames
    val rules = UnresolvedRules.others
    EarlyRules.inject(_, ((s: SparkSession) => names(s)) +: rules.map(r => (_: SparkSession) => r))
  }

  private def postHocOf(rule: SparkSession => Rule[LogicalPlan]): Injection =
    _.injectPostHocResolutionRule(rule)

  private def checkpoints: Injection = {
    val rule = CheckCheckpoints
    _.injectCheckRule((s: SparkSession) => rule(s))
  }

  private def stateStore: Injection = {
    val rule = StreamStateStore
    _.injectCheckRule((s: SparkSession) => rule(s))
  }

  private def bodies: Injection = {
    val rule = CheckFunctionBodies
    _.injectCheckRule((s: SparkSession) => rule(s))
  }

  private def over(strategy: OverStrategy.type): Injection =
    _.injectPlannerStrategy((s: SparkSession) => strategy(s))
}

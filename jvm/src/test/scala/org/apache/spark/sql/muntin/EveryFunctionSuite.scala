package org.apache.spark.sql.muntin

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.muntin.plans.dialect.MuntinFunctions

/**
 * Every function in every kind of window, as a batch: in memory and on disk. Each pair returns the
 * result of a GROUP BY of stock Spark over the rows that are in the window by definition, or is
 * rejected with an error that names the function.
 */
class EveryFunctionSuite extends EveryTable {
  private lazy val calls: Set[String] =
    EveryFunction.known.flatMap(f => RunningSpark.called(f.call)).toSet

  test("the newest Spark has all functions") {
    assume(RunningSpark.isNewest)
    assert(EveryFunction.all === EveryFunction.known)
  }

  test("every aggregate and window function of Spark has a call") {
    val functions = for {
      name <- FunctionRegistry.builtin.listFunction()
      info <- FunctionRegistry.builtin.lookupFunction(name)
      // Only for metric views: stock Spark raises an internal error for it elsewhere.
      if Set("agg_funcs", "window_funcs")(info.getGroup) && name.funcName != "measure"
    } yield info.getClassName -> name.funcName
    val names = functions.groupMap(_._1)(_._2)
    assert(names.size > (if (RunningSpark.isNewest) 80 else 60))
    assert(names.values.filterNot(_.exists(calls)).toSeq === Nil)
  }

  test("every function of Muntin has a call, or defines windows") {
    val windows =
      EveryWindow.all.flatMap(w => RunningSpark.called(w.query(Seq("c0" -> "count(*)")))).toSet
    // They apply to the rows of streams: BoundSuite and RevisedStreamSuite.
    val ofStreams = Set("bound", "revision")
    // Functions around a window, conditions of joins, functions built from other windows, and
    // grids: WindowRowsSuite, AsOfSuite, OverlapsSuite, SessionsSuite, FillSuite, TimeStepsSuite,
    // and for resample test_series.py.
    val others = ofStreams ++ Seq("window_rows", "asof", "overlaps", "session_number", "fill") ++
      Seq("time_steps", "resample")
    assert(MuntinFunctions.all.map(_.name).filterNot(calls ++ windows ++ others) === Nil)
  }

  private val selected = sampledTests(EveryWindow.all, most = 5, isRequired)(_.name)(check)

  override protected def compared: Seq[EveryWindow] = selected

  private def check(window: EveryWindow) = {
    val standing = EveryFunction.all.filter(f => window.kinds(f.kind))
    def found = answers(window, standing)(some => spark.sql(sql(window, some)).collect().toSeq)
    val wrong = found ++
      withConf("spark.muntin.over.forceSpill" -> "true")(found.map(a => s"on disk: $a"))
    assert(wrong.mkString("\n", "\n", "\n").trim === "")
  }

  test("make test runs every function in memory and on disk") {
    assert(unselected(EveryWindow.all, selected) === Nil)
  }

  for (window <- EveryWindow.all) sampledTest(s"rejected functions in $window", 5) {
    val others =
      EveryFunction.all.filterNot(f => window.kinds(f.kind) || window.unframed(f.kind))
    val wrong = others.flatMap { f =>
      unclear(s"$f in $window", says = "")(spark.sql(sql(window, Seq(f))))
    }
    assert(wrong.mkString("\n") === "")
  }
}

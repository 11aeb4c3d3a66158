package org.apache.spark.sql.muntin

/** Every function in every kind of window, with one key split over tasks. */
class EveryFunctionSplitSuite extends SplitSession with EveryTable {
  override protected def settings: Map[String, String] =
    super[SplitSession].settings ++ super[EveryTable].settings

  // One function that needs its whole partition prevents the split for all functions of the query.
  private lazy val classes: Seq[Seq[EveryFunction]] = {
    val aggregates = EveryFunction.all.filter(_.kind != EveryFunction.Elsewhere)
    val on = whereRowsStay(aggregates)
    aggregates.groupBy { f =>
      (on(f).forall(_.saves), on(f).forall(_.anyOrder), on(f).forall(_.lastRowsOnly))
    }.values.toSeq
  }

  private var windows = 0
  private var chunked = 0

  private val selected = sampledTests(EveryWindow.all, most = 4, isRequired)(_.name)(check)

  override protected def compared: Seq[EveryWindow] = selected

  private def check(window: EveryWindow) = {
    val i = EveryWindow.all.indexOf(window)
    windows += 1
    val wrong = classes.flatMap { some =>
      val standing = some.filter(f => window.kinds(f.kind))
      withConf(
        "spark.muntin.split.forceChunks" -> "4",
        "spark.muntin.split.forceExchange" -> (i % 2 == 0).toString,
        "spark.muntin.split.forceSeed" -> i.toString
      ) {
        if (standing.isEmpty) Nil
        else answers(window, standing) { some =>
          val made = spark.sql(sql(window, some))
          val rows = made.collect().toSeq
          if (chunks(made) > 1L) chunked += 1
          rows
        }
      }
    }
    assert(wrong.mkString("\n", "\n", "\n").trim === "")
  }

  test("make test splits a window of every function") {
    assert(unselected(EveryWindow.all, selected) === Nil)
  }

  test("most windows were split") {
    assert(windows > 0 && chunked > windows)
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.AnchoredWindowsExec
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.scalatest.Assertion

/** Every aggregate in windows of groups, with tiny pages on disk and without: equal bits. */
class ForcedGroupsSuite extends AggregatesOfRows {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    registerFunctions()
    RandomTable.create(spark, "rows", rows = 420, seed = 31)
    // Some rows are valid forever, some never; starts are often equal, ends are in any order.
    spark.sql(
      """SELECT *, timestamp_seconds(id * 40) AS at, id DIV 3 AS a, CASE WHEN id % 31 = 0 THEN NULL
        |  ELSE id DIV 3 + pmod(hash(id), 120) * (id % 7 DIV 2) END AS b FROM rows""".stripMargin
    ).repartition(1).sortWithinPartitions("id").createOrReplaceTempView("t")
    spark.sql(
      "SELECT id AS aid, id * 4 AS lo, id * 4 + pmod(hash(id), 5) * 60 AS hi FROM range(100)"
    ).createOrReplaceTempView("anchors")
  }

  private var forcedBytes = 0L

  private def rows(query: String, forced: Boolean): Seq[Row] =
    withConf(MuntinConf.OverForceSpill.key -> forced.toString) {
      val frame = spark.sql(query)
      val found = frame.collect().toSeq
      val spilled = nodes(frame) {
        case g: GroupWindowsExec => g.metrics("spillSize").value
        case a: AnchoredWindowsExec => a.metrics("spillSize").value
      }
      assert(spilled.size === 1, query)
      if (forced) forcedBytes += spilled.head else assert(spilled.head === 0L, query)
      found
    }

  /** Checks that some of the queries that `body` compares spill. */
  private def onDisk(body: => Unit): Assertion = {
    forcedBytes = 0L
    body
    assert(forcedBytes > 0L)
  }

  private def agree(query: String): Unit = {
    val (plain, forced) = (rows(query, forced = false), rows(query, forced = true))
    assert(plain.size > 2)
    assert(forced.size === plain.size)
    plain.zip(forced).foreach { case (a, b) => if (!same(a, b)) fail(s"$a, $b\n$query") }
  }

  private val functions = ScatteredAggregatesSuite.functions

  for (
    // With all functions, or with every n-th function.
    (window, step) <- Seq(
      "field_window(id, 200, 17)" -> 1,
      "field_window(id, 150, 150)" -> 5,
      "field_window(id, 180, 60, every => 45)" -> 3,
      "field_window(id, 150, every => 50)" -> 5,
      "ticks(at, 'hourly', span => 2)" -> 3,
      "ticks(at, 'hourly', span => NULL)" -> 3,
      "validity(a, b)" -> 1,
      "validity(a, b, emit => 'element')" -> 3,
      "validity(a, b, dump_at => 5)" -> 5
    )
  ) test(window) {
    withConf(MuntinConf.PanesEnabled.key -> "false")(onDisk {
      functions.grouped(step).map(_.last).toSeq.grouped(60).foreach { some =>
        val name = window.takeWhile(_ != '(')
        agree(s"SELECT $name, ${some.mkString(", ")} FROM t GROUP BY $window")
      }
    })
  }

  test("group after group") {
    val few = functions.grouped(5).map(_.head).mkString(", ")
    Seq("field_window(id, 300, 17)", "validity(a, b)").foreach { window =>
      onDisk(agree(s"SELECT id DIV 200 AS g, $few FROM t GROUP BY id DIV 200, $window"))
    }
  }

  test("window_by")(onDisk {
    functions.filterNot(_.contains("\"")).grouped(50).foreach { some =>
      val listed = some.zipWithIndex.map { case (f, i) => s"$f AS r$i" }.mkString(", ")
      agree(s"SELECT * FROM window_by(TABLE(SELECT * FROM t), TABLE(anchors), " +
        "\"" + listed + "\", 'id', 'lo', 'hi')")
    }
  })
}

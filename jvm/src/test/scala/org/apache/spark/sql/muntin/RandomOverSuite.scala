package org.apache.spark.sql.muntin

import scala.util.Random

/**
 * Random queries, each under random settings. A failure shows its seed, settings and query;
 * `testOnly *RandomOverSuite -- -z "query 20261"` runs only this query, and `-Dmuntin.first=n` and
 * `-Dmuntin.queries=n` in the test JVM's options select the seeds.
 */
class RandomOverSuite extends MuntinSession {
  private val queries = Integer.getInteger("muntin.queries", Repeats(90)).intValue
  private val first = Integer.getInteger("muntin.first", 20_260 + Repeats.first(90)).intValue

  private val zones = Seq("UTC", "America/New_York", "Asia/Kolkata")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 70, seed = 7)
    RandomTable.create(spark, "two", rows = 2, seed = 8)
    RandomTable.create(spark, "none", rows = 0, seed = 9)
  }

  private def settings(random: Random): Seq[(String, String)] = {
    def flag(likely: Int) = (random.nextInt(10) < likely).toString
    val modes = Seq("FALLBACK", "CODEGEN_ONLY", "NO_CODEGEN")
    Seq(
      "spark.sql.ansi.enabled" -> flag(6),
      "spark.sql.codegen.wholeStage" -> flag(7),
      "spark.sql.codegen.factoryMode" -> modes(random.nextInt(3)),
      "spark.sql.session.timeZone" -> zones(random.nextInt(zones.size)),
      "spark.sql.legacy.interval.enabled" -> flag(2),
      "spark.sql.legacy.statisticalAggregate" -> flag(1)
    )
  }

  private var failing = 0

  private def run(seed: Int): Outcome = {
    val random = new Random(seed)
    // Buffered rows spill in every third query, and the columnar exchange runs in every second
    // query.
    val conf = settings(random) ++ Seq(
      "spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString,
      "spark.muntin.exchange.enabled" -> (seed % 2 == 0).toString
    )
    val calendar = conf.contains("spark.sql.legacy.interval.enabled" -> "true")
    val query = new RandomQuery(random, calendar)
    val shown = s"seed $seed, ${conf.map { case (k, v) => s"$k=$v" }.mkString(", ")}\n${query.sql}"
    val outcome =
      withClue(shown)(withConf(conf: _*)(checkAgainst(query.stockSql, query.sql, query.takenOver)))
    outcome match {
      case f: Outcome.Failed =>
        failing += 1
        info(s"both fail with ${f.condition}: $shown")
      case _ =>
    }
    outcome
  }

  (first until first + queries).foreach { seed =>
    test(s"query $seed")(run(seed))
  }

  test("most queries return rows, so that the test compares rows") {
    assert(failing * (if (Repeats.isLong) 10 else 4) <= queries)
  }
}

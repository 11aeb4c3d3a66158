package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.ColumnExchangeExec

/** The columnar exchange or Spark's exchange moves the rows of a stream to its windows. */
final class StreamExchangeSuite extends StreamSession {
  import StreamSession.Readings

  private val queries = Seq(
    "SELECT k, t, i, sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING) " +
      "AS s FROM t",
    "SELECT t, i, count(*) OVER (ORDER BY t, i ROWS 7 PRECEDING) AS n FROM t",
    "SELECT k, validity, collect_list(i) AS c FROM t " +
      "GROUP BY k, validity(t, t + INTERVAL 20 SECONDS)",
    // The rows of one exchange are read twice: as rows, and as marks.
    "SELECT k, validity, sum(d) AS s FROM t " +
      "GROUP BY k, validity(t, t + INTERVAL 20 SECONDS, dump_at => 3)",
    "SELECT k, field_window, median(d) AS m, max(k) AS x FROM t GROUP BY k, field_window(t, 30, 10)"
  )

  private val batches: Seq[Seq[Row]] = {
    val random = new Random(31L)
    val rows = Seq.tabulate(240) { i =>
      val key = if (i % 17 == 0) null else s"a rather long key ${random.nextInt(4)}"
      Row(key, at(2L * i + random.nextInt(15)), i, random.nextGaussian())
    }
    // One micro-batch of few rows, and one without rows.
    rows.grouped(60).toSeq ++ Seq(Seq(Row("k", at(900L), 240, 0.5)), Nil)
  }

  private def exchanges(plan: SparkPlan): Seq[Boolean] = plan.collect {
    case _: ColumnExchangeExec => true
    case _: ShuffleExchangeExec => false
  }

  /** Returns the results if the micro-batches `inColumns` exchange columns. */
  private def run(sql: String, inColumns: Int => Boolean): Seq[Seq[String]] = {
    val source = new Source(Readings)
    val answers = new Answers()
    batches.zipWithIndex.map { case (rows, i) =>
      withConf(MuntinConf.ExchangeEnabled.key -> inColumns(i).toString) {
        source.add(rows)
        val query = asked(sql)(source.rows.withWatermark("t", "15 seconds"))
        val running = answers.start(query)
        try {
          running.processAllAvailable()
          lastPlan(running).foreach { plan =>
            val found = exchanges(plan)
            assert(found.nonEmpty && found.forall(_ == inColumns(i)), plan)
          }
        } finally running.stop()
      }
      shown(answers.next())
    }
  }

  queries.foreach { sql =>
    sampledTest(
      s"the same rows are emitted, and a checkpoint continues with the other exchange: $sql",
      most = 3
    ) {
      val byRow = run(sql, _ => false)
      assert(byRow.exists(_.nonEmpty))
      assert(run(sql, _ % 3 < 2) === byRow)
    }
  }
}

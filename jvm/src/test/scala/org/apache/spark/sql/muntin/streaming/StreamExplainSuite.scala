package org.apache.spark.sql.muntin.streaming

import io.muntin.functions.windowBy
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.functions.{col, count, expr}

/** EXPLAIN of a query over a stream that has not been started. */
final class StreamExplainSuite extends StreamSession {
  import StreamSession.Readings

  private def stream: DataFrame = new Source(Readings).rows.withWatermark("t", "1 minute")

  private def grouped(window: String): DataFrame =
    stream.groupBy(col("k"), expr(window)).agg(expr("sum(d)"), expr("median(d)"))

  private def queries: Seq[(String, DataFrame)] = Seq(
    "OVER" -> stream.withColumn(
      "s",
      expr("sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING)")
    ),
    "validity" -> grouped("validity(t, t + INTERVAL 1 MINUTE)"),
    "validity" -> grouped("validity(t, t + INTERVAL 1 MINUTE, drain => false)"),
    "validity" -> grouped("validity(t, t + INTERVAL 1 MINUTE)").where("k = 'a'"),
    "marks for validity, every 3 rows" -> grouped(
      "validity(t, t + INTERVAL 1 MINUTE, dump_at => 3)"
    ),
    "field_window" -> grouped("field_window(t, 30, 10)"),
    "ticks" -> grouped("ticks(t, 'hourly')"),
    "window_by" -> {
      val rows = stream
      windowBy(
        rows,
        rows.select(col("t").as("at"), col("k")),
        col("t"),
        col("at"),
        col("at"),
        Seq("k")
      )
        .agg(count("*").as("n")).asInstanceOf[DataFrame]
    }
  )

  test("every mode shows the operator and its function") {
    for {
      (name, query) <- queries
      mode <- Seq("simple", "extended", "formatted", "cost", "codegen")
      // Spark generates no code for a union of streams that have not been started.
      if name != "window_by" || mode != "codegen"
    } {
      val text = query.queryExecution.explainString(ExplainMode.fromString(mode))
      assert(!text.contains("writeStream.start"), s"$name, $mode\n$text")
      if (mode != "codegen") assert(text.contains("MuntinStream"), s"$name, $mode\n$text")
      if (mode == "simple") assert(text.contains(s"MuntinStream $name"), text)
    }
  }

  test("an SQL query, as a DataFrame") {
    Seq(
      "SELECT k, sum(d) OVER (PARTITION BY k ORDER BY t) FROM t",
      "SELECT k, count(*) FROM t GROUP BY k, validity(t, t + INTERVAL 1 MINUTE)"
    ).foreach { sql =>
      // Spark does not recognize a stream in an SQL text before the text is resolved.
      val text = asked(sql)(
        stream
      ).select("*").queryExecution.explainString(ExplainMode.fromString("simple"))
      assert(text.contains("MuntinStream"), text)
    }
  }
}

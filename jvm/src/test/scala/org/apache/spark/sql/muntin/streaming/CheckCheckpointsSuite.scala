package org.apache.spark.sql.muntin.streaming

import java.nio.file.Files

import scala.jdk.StreamConverters._

import org.apache.spark.sql.{AnalysisException, Encoder, Encoders, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/**
 * A query starts with a checkpoint, without new rows: a changed query is rejected, and the
 * checkpoint does not change; an unchanged query starts.
 */
final class CheckCheckpointsSuite extends StreamSession {
  import StreamSession.Readings

  private type Query = DataFrame => DataFrame

  private val rows = Seq(1L, 2L, 100L).map(s => Row("k", at(s), s.toInt, 1.0))

  private def marked(sql: String): Query = df => asked(sql)(df.withWatermark("t", "1 second"))

  /** A checkpoint of a query that has read all rows. */
  private final class Started(query: Query, outputMode: String = "append") {
    private val checkpoint = temporary()
    private val source = new Source(Readings)
    source.add(rows)
    run(query)

    private def run(query: Query, outputMode: String = outputMode): Unit =
      new Answers(checkpoint, outputMode).start(query(source.rows), Trigger.AvailableNow())
        .awaitTermination()

    /** Asserts that the query is rejected; `stored` and `current` are parts of the values. */
    def refuses(property: String, stored: String = "", current: String = "")(
        query: Query,
        outputMode: String = outputMode
    ): Unit = {
      val before = files(checkpoint)
      val error = intercept[AnalysisException](run(query, outputMode))
      val found = parametersOf(error, "MUNTIN_CHECKPOINT_OF_OTHER_QUERY")
      assert(found("property") === property)
      assert(found("stored").contains(stored) && found("current").contains(current), found)
      assert(found("checkpoint").contains(checkpoint.toString))
      assert(files(checkpoint) === before)
      ()
    }

    def takes(query: Query): Unit = run(query)

    /** Changes the texts of the operators' properties. */
    def edit(change: String => String): Unit =
      Files.walk(checkpoint).toScala(Seq).filter { file =>
        file.toString.contains("_metadata") && Files.isRegularFile(file)
      }.foreach { file =>
        if (file.toString.endsWith(".crc")) Files.delete(file)
        else Files.writeString(file, change(Files.readString(file)))
      }
  }

  private val minute = "(PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING)"
  private val sums =
    s"SELECT k, t, i, sum(d) OVER $minute AS s, count(*) OVER $minute AS n FROM t"

  test("another function, frame, order, key, column, setting or output mode") {
    val started = new Started(marked(sums))
    started.refuses("function 3", "none", "max(i) OVER")(
      marked(sums.replace(" FROM", s", max(i) OVER $minute AS m FROM"))
    )
    started.refuses("function 1", "sum(d) OVER", "sum(i) OVER")(
      marked(sums.replace("sum(d)", "sum(i)"))
    )
    started.refuses(
      "function 1",
      "sum(d) OVER",
      "INTERVAL '02' MINUTE PRECEDING AND CURRENT ROW"
    )(
      marked(sums.replace("1 MINUTE", "2 MINUTES"))
    )
    started.refuses(
      "function 1",
      current = "ROWS BETWEEN 5 PRECEDING AND CURRENT ROW"
    )(marked(sums.replace(
      "ORDER BY t",
      "ORDER BY t, i"
    )
      .replace("RANGE INTERVAL 1 MINUTE", "ROWS 5")))
    started.refuses("function 1", "PARTITION BY k", "sum(d) OVER (PARTITION BY i")(
      marked(sums.replace("PARTITION BY k", "PARTITION BY i"))
    )
    started.refuses("input")(marked(sums.replace("t, i,", "t,")))
    started.refuses("output mode")(marked(sums), "update")
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      started.refuses("answers", "watermark", "arrival")(marked(sums))
    }
    started.takes(marked(sums))
  }

  private val tens =
    "SELECT k, field_window(t, 10, 10).close AS t, sum(d) AS d, max(i) AS i FROM t " +
      "GROUP BY k, field_window(t, 10, 10)"
  private val both = s"WITH t AS ($tens) $sums"

  test("one more window, one less, no window, or Spark's own operators instead") {
    val one = new Started(marked(sums))
    one.refuses(
      "stateful operators",
      "[OVER by k STRING]",
      "[OVER by k STRING, field_window by k STRING]"
    )(marked(both))
    one.refuses("windows", "OVER by k STRING", "none")(marked("SELECT k, t FROM t"))
    one.refuses("windows")(
      marked("SELECT window, count(*) FROM t GROUP BY window(t, '10 seconds')")
    )
    val two = new Started(marked(both))
    two.refuses("stateful operators", current = "[OVER by k STRING]")(marked(sums))
    two.refuses("stateful operators", current = "[field_window by k STRING]")(marked(tens))
    two.takes(marked(both))
    val none = new Started(marked("SELECT k, t FROM t"))
    none.refuses("stateful operators", "[]", "[OVER by k STRING]")(marked(sums))
    val sparks = new Started(_.withWatermark("t", "1 second").dropDuplicates("i"))
    sparks.refuses("stateful operators", "[dedupe]", "[field_window by k STRING]")(
      marked(tens)
    )
    // Muntin does not reject queries without windows.
    sparks.takes(_.withWatermark("t", "1 second").dropDuplicates("i"))
    none.takes(_.where("i > 0"))
  }

  test("another layout of the state") {
    val started = new Started(marked(sums))
    started.edit(_.replace("layout\\\":\\\"7", "layout\\\":\\\"6"))
    assertRefused("MUNTIN_STATE_OF_OTHER_LAYOUT", "stored" -> "6", "current" -> "7") {
      started.takes(marked(sums.replace("sum(d)", "sum(i)")))
    }
  }

  test("an aggregator of the same name whose buffer has other columns") {
    def register[B: Encoder](start: B): Unit = spark.udf.register(
      "constant",
      udaf(new CheckCheckpointsSuite.Constant(start), ExpressionEncoder[Option[Double]]())
    ): Unit
    def query(frame: String) =
      marked(s"SELECT k, t, constant(d) OVER (PARTITION BY k ORDER BY t ROWS $frame) AS c FROM t")
    register(1L)(Encoders.scalaLong)
    val saved = new Started(query("UNBOUNDED PRECEDING"))
    val rows = new Started(query("2 PRECEDING"))
    register("a")(Encoders.STRING)
    saved.refuses("buffer 1", "BIGINT", "STRING")(query("UNBOUNDED PRECEDING"))
    // The state contains rows.
    rows.takes(query("2 PRECEDING"))
  }

  test("the same query, written differently") {
    val started = new Started(marked(sums))
    started.takes(marked(
      s"""SELECT *, count(*) OVER $minute AS counted FROM (
         |  SELECT k, t, i, sum(d) OVER $minute AS total FROM t)""".stripMargin
    ))
    started.takes { df =>
      df.withWatermark("t", "5 seconds").withColumn("s", expr(s"sum(d) OVER $minute"))
        .withColumn("n", expr(s"count(*) OVER $minute")).select("k", "t", "i", "s", "n")
    }
  }

  sampledTest("queries whose micro-batches without rows have another plan", most = 2) {
    val table = spark.range(5).selectExpr("int(id) AS i", "id AS id")
    val queries = Seq[Query](
      df =>
        marked("SELECT k, validity.start, count(*) FROM t GROUP BY k, validity(t, t)")(
          df.union(df.where("i > 5"))
        ),
      df => marked(sums)(df.join(table, Seq("i"), "left")),
      df => marked(sums.replace("count(*)", "count(if(i % 2 = 1, d, NULL))"))(df.where("i > 0")),
      marked("SELECT session_number('5 seconds') OVER (PARTITION BY k ORDER BY t) AS n, d FROM t"),
      marked("SELECT k, ticks.end, count(*) FROM t GROUP BY k, ticks(t, 'minutely')")
    )
    for (query <- queries; mode <- Seq("append", "update")) {
      val started =
        try Some(new Started(query, mode))
        catch {
          case error: AnalysisException if mode == "update" =>
            assertCondition(error, "MUNTIN_UPDATE_MODE_WITHOUT_REVISION")
            None
        }
      started.foreach(_.takes(query))
    }
  }
}

private object CheckCheckpointsSuite {

  /** An aggregator with a buffer of any type. */
  final class Constant[B: Encoder](start: B) extends Aggregator[Option[Double], B, Double] {
    override def zero: B = start
    override def reduce(buffer: B, value: Option[Double]): B = buffer
    override def merge(a: B, b: B): B = a
    override def finish(buffer: B): Double = 1.0
    override def bufferEncoder: Encoder[B] = implicitly[Encoder[B]]
    override def outputEncoder: Encoder[Double] = Encoders.scalaDouble
  }
}

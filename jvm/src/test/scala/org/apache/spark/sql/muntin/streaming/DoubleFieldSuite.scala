package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import io.muntin.Muntin
import io.muntin.kernel.fields.{FieldSteps, OrderedDouble}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowPlan
import org.apache.spark.sql.muntin.expressions.FieldWindow
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types._

/** Streams in the order of arrival whose field is a DOUBLE or a FLOAT. */
final class DoubleFieldSuite extends StreamSession {

  override protected def settings: Map[String, String] =
    super.settings + (MuntinConf.StreamOrder.key -> "arrival")

  private def schema(kind: String) = StructType.fromDDL(s"k string, x $kind, i int")

  private def value(x: Double, kind: String): Any = if (kind == "float") x.toFloat else x

  test("StreamBase's example: size 1, advance 1, values 0 and 9.2") {
    val sql = "SELECT w.open, w.close, n FROM (SELECT field_window(x, 1, 1) AS w, count(*) AS n " +
      "FROM t GROUP BY field_window(x, 1, 1))"
    val found = streamed(
      schema("double"),
      Seq(0.0, 9.2, 10.0).map(x => Seq(Row("a", x, 1))),
      restarts = Set(1, 2)
    )(asked(sql)(_))
    val none = Seq.empty[Row]
    assert(found === Seq(none, Seq(Row(0.0, 1.0, 1L)), Seq(Row(9.0, 10.0, 1L)), none))
  }

  /** In order, from below zero on, some as close as possible, with ties and gaps. */
  private def rows(random: Random, count: Int, kind: String): Seq[Row] = {
    var x = -3.05
    Seq.tabulate(count) { i =>
      x = random.nextInt(8) match {
        case 0 => x
        case 1 => if (kind == "float") Math.nextUp(x.toFloat).toDouble else Math.nextUp(x)
        case 2 => math.max(x, math.ceil(x * 10.0) / 10.0)
        case 3 => x + 2.0
        case _ => x + 0.07 * random.nextDouble()
      }
      Row(s"k${random.nextInt(3)}", value(x, kind), i)
    }
  }

  private val windows = Seq(
    "field_window(x, 0.3, 0.1)",
    "field_window(x, 0.7)",
    "field_window(x, 0.3, 0.1, open => 'all')",
    "field_window(x, 1.5, 1, offset => 0.25)",
    "field_window(x, 0.6, 0.3, every => 0.2)",
    "field_window(x, every => 0.5)"
  )

  private def grouped(revision: String = "")(rows: DataFrame): DataFrame =
    asked(windows.zipWithIndex.map { case (window, number) =>
      s"""SELECT $number AS number, k, string(w) AS w, n, ids$revision FROM (
         |  SELECT k, $window AS w, count(*) AS n, sum(i * 7919) AS ids FROM t GROUP BY k, $window)"""
        .stripMargin
    }.mkString("\nUNION ALL\n"))(rows)

  for ((kind, warm) <- Seq("double" -> "64m", "double" -> "0", "float" -> "64m"))
    sampledTest(s"$kind, warm memory $warm: over restarts, waiting and drained, equals a batch") {
      val random = new Random(3L)
      val all = rows(random, 90, kind)
      val batches = cut(random, all, 25, 20)
      val source = new Source(schema(kind))
      val checkpoint = temporary()
      val answers = new Answers(checkpoint)
      def run(rows: Seq[Row]): Unit = {
        source.add(rows)
        answers.start(grouped()(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      withConf(MuntinConf.StreamWarmMemory.key -> warm) {
        batches.init.foreach(run)
        val early = answers.next()
        def batch(rows: Seq[Row]) = shown(grouped()(table(schema(kind), rows)).collect().toSeq)
        val waits = Muntin.pending(grouped()(source.rows), checkpoint.toString).collect().toSeq
        assert(early.nonEmpty && waits.nonEmpty)
        assert(shown(early ++ waits) === batch(batches.init.flatten))
        withConf(MuntinConf.StreamDrain.key -> "true")(run(batches.last))
        assert(shown(early ++ answers.next()) === batch(all))
      }
    }

  test("many micro-batches in one run, in output mode append and update") {
    val random = new Random(5L)
    val all = rows(random, 60, "double") :+ Row("end", 1e6, -1)
    val batches = cut(random, all, 9, 4)
    val one = (df: DataFrame) =>
      asked(
        "SELECT k, string(w) AS w, n FROM (SELECT k, field_window(x, 0.3, 0.1) AS w, count(*) AS n " +
          "FROM t GROUP BY k, field_window(x, 0.3, 0.1))"
      )(df)
    val appended = streamed(schema("double"), batches, chosen(random, batches))(one).flatten
    val batch = one(table(schema("double"), all)).collect().toSeq.filterNot(_.getString(0) == "end")
    assert(shown(appended) === shown(batch))
    val updated = streamed(schema("double"), batches, outputMode = "update")(one).flatten
      .filterNot(_.getString(0) == "end")
    assert(updated.size > appended.size)
    val last = updated.groupBy(r => (r.get(0), r.get(1))).values.map(_.last).toSeq
    assert(shown(last) === shown(batch))
  }

  private def failed(rows: Row*): Exception = intercept[Exception] {
    streamed(schema("double"), rows.map(Seq(_)))(asked(
      "SELECT k, count(*) FROM t GROUP BY k, field_window(x, 1, 1)"
    ))
  }

  test("a value without a place in the order is an error that shows the row") {
    val missing = parametersOf(failed(Row("a", null, 7)), "MUNTIN_NULL_TIME_ON_STREAM")
    assert(missing("row").contains("k = a, x = "))
    Seq[(Double, String)](
      (Double.NaN, "NaN"),
      (Double.PositiveInfinity, "Infinity"),
      (Double.NegativeInfinity, "-Infinity")
    ).foreach { case (x, shown) =>
      val found = parametersOf(failed(Row("a", x, 7)), "MUNTIN_TIME_NOT_FINITE_ON_STREAM")
      assert(found("value") === shown)
      assert(found("row").contains("k = a, x = "))
    }
    assertCondition(failed(Row("a", 1e300, 7)), "MUNTIN_WINDOW_FIELD_TOO_LARGE")
  }

  test("a value slightly below the newest value is out of order") {
    assertCondition(
      failed(Row("a", 0.1 + 0.2, 1), Row("b", 0.3, 2)),
      "MUNTIN_ROW_OUT_OF_ORDER",
      "time" -> "0.3",
      "newest" -> "0.30000000000000004"
    )
  }

  test("by the clock, a window of doubles closes at its last value, like a window of integers") {
    def ends(kind: DataType, advance: Option[BigDecimal])(number: Double => Long) = {
      val window = FieldWindow(
        AttributeReference("x", kind)(),
        FieldSteps(Some(BigDecimal(30)), advance, BigDecimal(0), None, all = false),
        None
      )
      Seq(10.0, 29.0, 30.0, 61.0, -5.0).map { x =>
        GroupWindowPlan.of(window).lastEnd(number(x), number(40.0))
      }
    }
    for (advance <- Seq(None, Some(BigDecimal(10)))) {
      val whole = ends(LongType, advance)(_.toLong)
      assert(whole.flatten.nonEmpty)
      assert(ends(DoubleType, advance)(OrderedDouble.ordinal) ===
        whole.map(_.map(end => OrderedDouble.ordinal(end.toDouble))))
    }
  }
}

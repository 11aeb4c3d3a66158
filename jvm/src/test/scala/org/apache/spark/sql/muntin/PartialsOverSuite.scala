package org.apache.spark.sql.muntin

import java.nio.file.Files

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame

/**
 * merge_partial in frames of every kind: equal bits of the aggregate over the rows of the partials
 * in the frame, and of stock Spark. partial in OVER: the bytes of the partial of a GROUP
 * BY over the rows of the frame.
 */
class PartialsOverSuite extends MuntinSession {
  override protected def settings: Map[String, String] = super.settings ++ mostlyInterpreted

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 400, seed = 11)
    // Each row's own partial and its value; some are null.
    val columns = calls.zipWithIndex.flatMap { case ((_, input), i) =>
      Seq(s"IF(id % 11 = 3, null, p$i) AS p$i", s"IF(id % 11 = 3, null, $input) AS c$i")
    }
    val partials = calls.zipWithIndex.map { case ((function, input), i) =>
      s"partial($function($input)) OVER (PARTITION BY id) AS p$i"
    }
    val path = Files.createTempDirectory("partials").resolve("each").toString
    withMuntin(enabled = false) {
      spark.sql(
        s"SELECT id, k, i8, ${columns.mkString(", ")} FROM " +
          s"(SELECT *, ${partials.mkString(", ")} FROM t)"
      ).write.parquet(path)
    }
    spark.read.parquet(path).createOrReplaceTempView("each")
  }

  private val calls: Seq[(String, String)] =
    Seq("x", "wild", "f", "i32", "huge", "d5", "d38", "vast").flatMap { c =>
      Seq("try_sum", "try_avg", "count", "min", "max", "stddev_samp", "var_pop").map(_ -> c)
    } ++ Seq(
      "skewness" -> "wild",
      "kurtosis" -> "wild",
      "try_avg" -> "dt",
      "try_sum" -> "ym",
      "min" -> "s",
      "max" -> "s",
      "count" -> "s",
      "bool_or" -> "flag",
      "count_if" -> "flag"
    )

  private def rendered(value: Any): Any = value match {
    case d: Double => java.lang.Double.doubleToLongBits(d + 0.0)
    case f: Float => java.lang.Float.floatToIntBits(f + 0.0f)
    case bytes: Array[Byte] => bytes.toSeq
    case row: Row => row.toSeq.map(rendered)
    case other => other
  }

  private def byId(made: DataFrame): Map[Any, Seq[Any]] =
    made.collect().map(r => r.get(0) -> r.toSeq.tail.map(rendered)).toMap

  private def same(found: Map[Any, Seq[Any]], expected: Map[Any, Seq[Any]], of: Int => String) = {
    assert(found.keySet === expected.keySet)
    for (id <- expected.keys; i <- expected(id).indices)
      assert(found(id)(i) === expected(id)(i), s"${of(i)} at $id")
  }

  private def over(call: String, motion: String, frame: String): String =
    s"${motion.replace("#", call)} OVER $frame"

  private def query(motion: String, frame: String)(call: ((String, String), Int) => String) = {
    val columns = calls.zipWithIndex.map { case (c, i) =>
      s"${over(call(c, i), motion, frame)} AS r$i"
    }
    s"SELECT id, ${columns.mkString(",\n")} FROM each"
  }

  private val ordered = "(PARTITION BY k ORDER BY id)"

  private val frames: Seq[(String, String)] = {
    val random = new Random(3)
    def end = random.nextInt(30)
    val rows = Seq.fill(2)(s"ROWS BETWEEN $end PRECEDING AND $end FOLLOWING")
    val range = s"RANGE BETWEEN ${3 * end} PRECEDING AND $end PRECEDING"
    (rows ++ Seq(
      range,
      "ROWS UNBOUNDED PRECEDING",
      "RANGE BETWEEN 20 PRECEDING AND UNBOUNDED FOLLOWING"
    )).map(f => "#" -> s"(PARTITION BY k ORDER BY id $f)") ++ Seq(
      "sliding(#, 7, i8 > 0)" -> ordered,
      "sliding(#, 20, partial => true)" -> ordered,
      "since(#, i8 = 2)" -> ordered,
      "framed(#, exclude => 'ties')" ->
        "(PARTITION BY k ORDER BY id DIV 4 RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING)",
      "framed(#, exclude => 'current row')" ->
        "(PARTITION BY k ORDER BY id ROWS BETWEEN 9 PRECEDING AND 4 FOLLOWING)"
    )
  }

  private def isStandard(motion: String): Boolean = motion == "#"

  frames.foreach { case (motion, frame) =>
    sampledTest(s"merge_partial in $motion OVER $frame") {
      val merged = query(motion, frame)((c, i) => s"merge_partial(${c._1}(p$i))")
      val whole = query(motion, frame)((c, i) => s"${c._1}(c$i)")
      val plan = spark.sql(merged)
      assert(muntinNodes(plan).nonEmpty)
      val found = byId(plan)
      same(found, byId(spark.sql(whole)), i => calls(i).toString)
      if (isStandard(motion)) withMuntin(enabled = false) {
        same(byId(spark.sql(merged)), found, i => s"${calls(i)}, by Spark's operator")
      }
    }

    sampledTest(s"partial and partial(merge_partial) in $motion OVER $frame") {
      // Zeros of either sign are equal for min and max, so either may be kept.
      val kept = calls.zipWithIndex.filterNot { case ((f, _), _) => f == "min" || f == "max" }
      def both(wrapped: (String, String) => String) = {
        val columns = kept.map { case ((f, _), i) => wrapped(f, i.toString) }
        s"SELECT id, ${columns.map(over(_, motion, frame)).mkString(",\n")} FROM each"
      }
      val ofRows = both((f, i) => s"partial($f(c$i))")
      val ofPartials = both((f, i) => s"partial(merge_partial($f(p$i)))")
      val found = byId(spark.sql(ofRows))
      same(byId(spark.sql(ofPartials)), found, i => s"${kept(i)}, of partials")
      if (isStandard(motion)) withMuntin(enabled = false) {
        same(byId(spark.sql(ofRows)), found, i => s"${kept(i)}, by Spark's operator")
      }
    }
  }

  test("FILTER, and several aggregates of one partial") {
    assume(RunningSpark.filtersInOver, "FILTER within merge_partial in OVER")
    val w = "(PARTITION BY k ORDER BY id ROWS BETWEEN 12 PRECEDING AND 3 FOLLOWING)"
    def all(f: String => String) =
      Seq("try_sum", "try_avg", "count", "stddev_samp").map(a => s"${f(a)} OVER $w").mkString(", ")
    val p = calls.indexOf("stddev_samp" -> "x")
    val merged = all(a => s"merge_partial($a(p$p) FILTER (WHERE i8 > 0))")
    val whole = all(a => s"$a(c$p) FILTER (WHERE i8 > 0)")
    val found = byId(spark.sql(s"SELECT id, $merged FROM each"))
    same(found, byId(spark.sql(s"SELECT id, $whole FROM each")), i => s"$i of $merged")
  }

  test("corr and related functions") {
    val w = "(PARTITION BY k ORDER BY id ROWS BETWEEN 12 PRECEDING AND 3 FOLLOWING)"
    val functions = Seq("corr", "covar_samp", "regr_slope", "regr_count", "regr_avgx", "regr_sxx")
    val found = byId(spark.sql(
      s"SELECT id, ${functions.map(f => s"merge_partial($f(p)) OVER $w").mkString(", ")} " +
        "FROM (SELECT id, k, partial(corr(x, y)) AS p FROM t GROUP BY id, k)"
    ))
    val whole = functions.map(f => s"$f(x, y) OVER $w").mkString(", ")
    same(found, byId(spark.sql(s"SELECT id, $whole FROM t")), functions)
  }

  test("rate, nth and completeness") {
    spark.sql(
      "SELECT id, k, partial(rate(id, id + 3)) AS r, partial(nth(s, 3)) AS n, " +
        "partial(completeness(s)) AS c FROM t GROUP BY id, k"
    ).createOrReplaceTempView("own")
    Seq("#", "sliding(#, 7, partial => true)").foreach { motion =>
      val frame =
        if (isStandard(motion)) "(PARTITION BY k ORDER BY id ROWS 9 PRECEDING)" else ordered
      def all(calls: String*) = calls.map(over(_, motion, frame)).mkString(", ")
      val merged = all(
        "merge_partial(rate(r))",
        "merge_partial(rate(r, 60))",
        "merge_partial(nth(n, 3))",
        "merge_partial(completeness(c))"
      )
      val whole = all("rate(id, id + 3)", "rate(id, id + 3, 60)", "nth(s, 3)", "completeness(s)")
      val found = byId(spark.sql(s"SELECT id, $merged FROM own"))
      same(found, byId(spark.sql(s"SELECT id, $whole FROM t")), i => s"$i of $merged")
    }
  }

  test("EXPLAIN names the accumulators") {
    def accumulators(function: String) = spark.sql(
      s"EXPLAIN SELECT $function OVER (ORDER BY id ROWS 9 PRECEDING) FROM each"
    ).collect().map(_.getString(0)).mkString
    assert(accumulators("merge_partial(try_avg(p1))").contains("exact sums of partials"))
    assert(accumulators("merge_partial(count(p2))").contains("exact sum"))
    assert(accumulators("merge_partial(min(p3))").contains("two stacks of positions"))
    assert(accumulators("partial(try_avg(c1))").contains("exact sum"))
  }

  test("partials of sums of different types cannot be merged") {
    val partials = "SELECT 1 AS id, partial(sum(CAST(1.5 AS DECIMAL(9, 2)))) AS p " +
      "UNION ALL SELECT 2, partial(sum(2.5D))"
    val query = s"SELECT merge_partial(sum(p)) OVER (ORDER BY id ROWS 3 PRECEDING) FROM ($partials)"
    assertFails(
      "MUNTIN_UNREADABLE_PARTIAL",
      "function" -> "merge_partial",
      "error" -> "a sum of decimals of scale 2 cannot be added to one of doubles"
    )(spark.sql(query).collect())
  }
}

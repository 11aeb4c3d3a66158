package org.apache.spark.sql.muntin

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{functions => F, Encoder, Encoders, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.expressions.{Aggregator, Window}
import org.scalatest.Assertion

/**
 * partial and merge_partial: partials that are split at random, stored in Parquet, and merged in
 * two steps in another order have the bits of the aggregate over all rows in Muntin's OVER.
 */
class PartialsSuite extends MuntinSession {
  import PartialsSuite._

  override protected def settings: Map[String, String] = super.settings ++ mostlyInterpreted

  private lazy val scratch = Files.createTempDirectory("partials")
  private var stored = 0

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 400, seed = 7)
    spark.udf.register("tagged", F.udaf(Tagged))
    spark.udf.register("weighted", F.udaf(Weighted)): Unit
  }

  /** Returns the rows of a query through Parquet, in one file or several, as a view. */
  private def store(made: DataFrame, view: String, files: Int = 3): Unit = {
    stored += 1
    val path = scratch.resolve(s"$view$stored").toString
    made.repartition(files).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView(view)
  }

  private def rendered(value: Any): Any = value match {
    // Zeros of either sign are one value for min, max and percentiles.
    case d: Double => java.lang.Double.doubleToLongBits(d + 0.0)
    case f: Float => java.lang.Float.floatToIntBits(f + 0.0f)
    case bytes: Array[Byte] => bytes.toSeq
    case several: scala.collection.Seq[_] => several.map(rendered)
    case row: Row => row.toSeq.map(rendered)
    case other => other
  }

  private def byKey(made: DataFrame): Map[Any, Seq[Any]] =
    made.collect().map(r => r.get(0) -> r.toSeq.tail.map(rendered)).toMap

  /** Calls with `#` for the inputs: over the rows, and over partials. */
  private def check(calls: Seq[(String, String)], table: String = "t", seed: Int = 5): Assertion = {
    def columns(f: ((String, String), Int) => String) =
      calls.zipWithIndex.map { case (c, i) => f(c, i) }.mkString(",\n")
    val whole = byKey(spark.sql(
      s"""SELECT k, ${columns((c, _) => over(c._1.replace("#", c._2)))}
         |FROM $table WINDOW w AS (PARTITION BY k)""".stripMargin
    ))
    val buckets = 1 + new Random(seed).nextInt(40)
    store(
      spark.sql(
        s"""SELECT k, id * 7919 % $buckets AS bucket,
           |${columns((c, i) => s"partial(${c._1.replace("#", c._2)}) AS p$i")}
           |FROM $table GROUP BY ALL""".stripMargin
      ),
      "parts"
    )
    store(
      spark.sql(
        s"""SELECT k, bucket % 4 AS quarter,
           |${columns((c, i) => s"partial(merge_partial(${c._1.replace("#", s"p$i")})) AS p$i")}
           |FROM parts GROUP BY ALL""".stripMargin
      ),
      "quarters"
    )
    // Only over the quarters, for which stock Spark is exact.
    val merged = spark.sql(
      s"SELECT k, ${columns((c, i) => merging(c._1.replace("#", s"p$i")))} FROM quarters GROUP BY k"
    )
    val found = byKey(merged)
    assert(found.keySet === whole.keySet)
    for (k <- whole.keys; (call, i) <- calls.zipWithIndex)
      assert(found(k)(i) === whole(k)(i), s"${call._1} of ${call._2} where k = $k")
    val types = spark.sql(
      s"SELECT k, ${columns((c, _) => plain(c._1.replace("#", c._2)))} FROM $table GROUP BY k"
    ).schema
    assert(merged.schema.map(_.dataType) === types.map(_.dataType), calls)
  }

  // sort_array(…) is applied to the result.
  private def over(call: String): String = inside(call)(c => s"$c OVER w")
  private def merging(call: String): String = inside(call)(c => s"merge_partial($c)")
  private def plain(call: String): String = inside(call)(identity)

  private def inside(call: String)(f: String => String): String =
    if (call.startsWith("collect_")) s"sort_array(${f(call)})" else f(call)

  private val numbers =
    Seq("i8", "i32", "huge", "d5", "d38", "vast", "f", "x", "wild")

  private val arithmetic = Seq(
    "try_sum(#)",
    "try_avg(#)",
    "var_samp(#)",
    "var_pop(#)",
    "stddev_samp(#)",
    "stddev_pop(#)",
    "skewness(#)",
    "kurtosis(#)",
    "try_sum(DISTINCT #)",
    "try_avg(DISTINCT #)",
    "stddev_samp(DISTINCT #)",
    "try_sum(#) FILTER (WHERE i8 > 0)"
  )

  private val ranked = Seq(
    "median(#)",
    "percentile(#, array(0.0D, 0.31D, 1.0D))",
    "percentile_cont(0.7) WITHIN GROUP (ORDER BY # DESC)",
    "percentile_disc(0.4) WITHIN GROUP (ORDER BY #)"
  )

  private val pairs = Seq(
    "corr(#)",
    "covar_samp(#)",
    "covar_pop(#)",
    "regr_count(#)",
    "regr_avgx(#)",
    "regr_avgy(#)",
    "regr_sxx(#)",
    "regr_syy(#)",
    "regr_sxy(#)",
    "regr_slope(#)",
    "regr_intercept(#)",
    "regr_r2(#)"
  )

  private val anything = Seq(
    "count(#)",
    "count(DISTINCT #)",
    "min(#)",
    "max(#)",
    "mode(#)",
    "mode() WITHIN GROUP (ORDER BY # DESC)",
    "collect_list(#)",
    "collect_set(#)",
    "collect_list(DISTINCT #)",
    "completeness(#)",
    "approx_count_distinct(#)",
    "approx_count_distinct(#, 0.1D)"
  )

  // A FILTER of the rows is not a FILTER of partials.
  private def calls(functions: Seq[String], inputs: String): Seq[(String, String)] =
    functions.map(_ -> inputs)

  numbers.foreach { column =>
    sampledTest(
      s"sums, moments, ranks and pairs of $column, split and merged: the bits of the whole"
    ) {
      val functions = arithmetic.filterNot(_.contains("FILTER"))
      // Stock Spark raises an error if the sum of the first overflows.
      val both =
        if (column == "vast") pairs.filter(_ != "regr_avgy(#)").filter(RunningSpark.hasFunctionsOf)
        else pairs
      check(calls(functions ++ ranked, column) ++ calls(both, s"$column, y"))
    }
  }

  RandomTable.columns.map(_.name).foreach { column =>
    sampledTest(s"counts, extremes, modes, lists and sets of $column, split and merged") {
      // Spark has no sets of collated strings; any of equal strings may represent them.
      if (column == "lc") check(calls(Seq("count(#)", "count(DISTINCT #)"), column))
      else {
        val some = anything.filter { call =>
          RunningSpark.listsOnce(column) || !Seq(
            "mode",
            "collect_set",
            "collect_list(DISTINCT"
          ).exists(call.startsWith)
        }
        check(calls(some, column))
      }
    }
  }

  sampledTest("intervals, dates and booleans in the aggregates that accept them") {
    check(calls(Seq("try_sum(#)", "try_avg(#)") ++ ranked, "dt"))
    check(calls(Seq("try_sum(#)", "try_avg(#)") ++ ranked, "ym"))
    check(calls(Seq("bool_and(#)", "bool_or(#)", "every(#)", "count_if(#)"), "flag"))
    check(calls(Seq("bit_and(#)", "bit_or(#)", "bit_xor(#)"), "i32"))
    check(calls(Seq("max_by(#)", "min_by(#)"), "s, id"))
    assert(byKey(spark.sql(
      "SELECT k, merge_partial(percentile(p, 0.3D)) FROM (" +
        "SELECT k, partial(percentile(x, 0.9D, abs(i8))) AS p FROM t GROUP BY k, id % 8) GROUP BY k"
    )) === byKey(spark.sql("SELECT k, percentile(x, 0.3D, abs(i8)) FROM t GROUP BY k")))
  }

  private def rows(query: String): Seq[Row] = spark.sql(query).collect().toSeq

  private def only(query: String): Row = rows(query) match {
    case Seq(one) => one
    case several => fail(s"${several.size} rows of $query")
  }

  test("one partial, every aggregate that can use its state; the types of the rows' aggregates") {
    spark.sql(
      "SELECT k, partial(avg(d5)) AS a, partial(kurtosis(x)) AS m, partial(corr(x, y)) AS c, " +
        "partial(median(i32)) AS v FROM t GROUP BY k, id % 9"
    ).createOrReplaceTempView("several")
    val merged = spark.sql(
      "SELECT k, merge_partial(avg(a)), merge_partial(sum(a)), merge_partial(count(a)), " +
        "merge_partial(avg(m)), merge_partial(stddev(m)), merge_partial(skewness(m)), " +
        "merge_partial(covar_pop(c)), merge_partial(regr_slope(c)), merge_partial(regr_count(c)), " +
        "merge_partial(percentile(v, 0.9D)), merge_partial(max(v)), merge_partial(mode(v)), " +
        "merge_partial(count(v)), merge_partial(count(DISTINCT v)), " +
        "merge_partial(sum(DISTINCT v)) FROM several GROUP BY k"
    )
    val whole = spark.sql(
      "SELECT k, avg(d5) OVER w, sum(d5) OVER w, count(d5) OVER w, avg(x) OVER w, stddev(x) OVER w, " +
        "skewness(x) OVER w, covar_pop(x, y) OVER w, regr_slope(x, y) OVER w, " +
        "regr_count(x, y) OVER w, percentile(i32, 0.9D) OVER w, max(i32) OVER w, mode(i32) OVER w, " +
        "count(i32) OVER w, count(DISTINCT i32) OVER w, sum(DISTINCT i32) OVER w " +
        "FROM t WINDOW w AS (PARTITION BY k)"
    )
    assert(byKey(merged) === byKey(whole))
    assert(merged.schema.map(_.dataType) === whole.schema.map(_.dataType))
  }

  test("FILTER of the inner aggregate: over rows in partial, over partials in merge_partial") {
    spark.sql(
      "SELECT id % 7 AS part, partial(sum(i32) FILTER (WHERE i8 > 0)) AS p, " +
        "partial(sum(i32)) FILTER (WHERE i8 > 0) AS q FROM t GROUP BY part"
    ).createOrReplaceTempView("filtered")
    val expected = only("SELECT sum(i32) FILTER (WHERE i8 > 0) FROM t")
    assert(only("SELECT merge_partial(sum(p)) FROM filtered") === expected)
    assert(only("SELECT merge_partial(sum(q)) FROM filtered") === expected)
    val some =
      only("SELECT sum(i32) FILTER (WHERE i8 > 0) FROM t WHERE id % 7 IN (2, 3)")
    assert(
      only("SELECT merge_partial(sum(p) FILTER (WHERE part IN (2, 3))) FROM filtered") === some
    )
    assert(
      only("SELECT merge_partial(sum(p)) FILTER (WHERE part IN (2, 3)) FROM filtered") === some
    )
  }

  test("no rows, null inputs and null partials") {
    val none = only("SELECT partial(avg(x)) AS p, partial(min(s)) AS m FROM t WHERE false")
    assert(none.getStruct(0).getLong(1) === 0L)
    assert(none.getStruct(1).isNullAt(1))
    spark.sql(
      "SELECT 1 AS part, partial(avg(x)) AS p, partial(min(s)) AS m FROM t WHERE false " +
        "UNION ALL SELECT 2, null, null " +
        "UNION ALL SELECT 3, partial(avg(CAST(null AS DOUBLE))), partial(min(CAST(null AS STRING)))"
    ).createOrReplaceTempView("empty")
    val query = "SELECT merge_partial(avg(p)), merge_partial(sum(p)), merge_partial(count(p)), " +
      "merge_partial(min(m)) FROM empty"
    assert(only(query) === Row(null, null, 0L, null))
    assert(only(s"$query WHERE part = 2") === Row(null, null, 0L, null))
    assert(only(s"$query WHERE false") === Row(null, null, 0L, null))
  }

  test("first, last and any_value in the order of the partials; also with IGNORE NULLS") {
    val ordered = spark.sql(
      "SELECT id DIV 10 AS part, partial(first(s)) AS f, partial(last(s)) AS l, " +
        "partial(first(s) IGNORE NULLS) AS g, partial(any_value(s)) AS a, " +
        "partial(nth(s, 30)) AS n, partial(rate(id, id + 3)) AS r, " +
        "partial(collect_list(s)) AS c, partial(collect_set(s)) AS d, partial(listagg(s, '-')) AS j " +
        "FROM (SELECT /*+ REPARTITION(1) */ * FROM t ORDER BY id) GROUP BY part"
    )
    ordered.coalesce(1).sort("part").createOrReplaceTempView("ordered")
    val merged = only(
      "SELECT merge_partial(first(f)), merge_partial(last(l)), " +
        "merge_partial(first(g) IGNORE NULLS), merge_partial(any_value(a)), " +
        "merge_partial(nth(n, 30)), merge_partial(rate(r)), merge_partial(rate(r, 60)), " +
        "merge_partial(collect_list(c)), merge_partial(collect_set(d)), " +
        "merge_partial(listagg(j, '+')), size(merge_partial(array_agg(c))) FROM ordered"
    )
    val whole = rows(
      "SELECT first(s) OVER w, last(s) OVER w, first(s) IGNORE NULLS OVER w, any_value(s) OVER w, " +
        "nth(s, 30) OVER w, rate(id, id + 3) OVER w, rate(id, id + 3, 60) OVER w, " +
        "collect_list(s) OVER w, collect_set(s) OVER w, listagg(s, '+') OVER w, " +
        "size(collect_list(s) OVER w) FROM t WINDOW w AS (ORDER BY id " +
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    ).head
    assert(merged === whole)
  }

  test("a user-defined aggregator, a sketch, a histogram") {
    check(Seq("tagged(#)" -> "i32", "weighted(#)" -> "i32, i8"))
    refused("SELECT merge_partial(tagged(i32)) FROM t")("MUNTIN_NOT_A_PARTIAL", "type" -> "INT")
    spark.sql(
      "SELECT k, id % 6, partial(approx_percentile(i32, 0.5D)) AS p, " +
        "partial(hll_sketch_agg(i32)) AS h, partial(median(i32)) AS m FROM t GROUP BY ALL"
    ).createOrReplaceTempView("sketches")
    val merged = byKey(spark.sql(
      "SELECT k, merge_partial(approx_percentile(p, 0.5D)), merge_partial(approx_percentile(m, 0.5D)), " +
        "hll_sketch_estimate(merge_partial(hll_sketch_agg(h))) FROM sketches GROUP BY k"
    ))
    val whole = byKey(spark.sql(
      "SELECT k, approx_percentile(i32, 0.5D), approx_percentile(i32, 0.5D), " +
        "hll_sketch_estimate(hll_sketch_agg(i32)) FROM t GROUP BY k"
    ))
    assert(merged === whole)
  }

  private val frames = Seq(
    "(PARTITION BY k ORDER BY id ROWS BETWEEN 30 PRECEDING AND 3 FOLLOWING)",
    "(PARTITION BY k ORDER BY id ROWS UNBOUNDED PRECEDING)",
    "(PARTITION BY k ORDER BY id RANGE BETWEEN 100 PRECEDING AND 20 PRECEDING)"
  )

  // A row's own partial, merged over a window, is the aggregate over the window.
  private def eachRow(over: String => String, unframed: String => String): Unit = {
    val calls =
      Seq("try_sum", "try_avg", "stddev", "kurtosis", "median", "min", "mode").flatMap(f =>
        Seq("x", "wild", "d38", "i32").map(c => f -> c)
      ).filter { case (f, c) => f != "mode" || RunningSpark.listsOnce(c) } ++ Seq(
        "count" -> "s",
        "max" -> "s"
      )
    val indexed = calls.zipWithIndex
    val inner = indexed.map { case ((f, c), i) => s"partial($f($c)) OVER (PARTITION BY id) AS p$i" }
    spark.sql(s"SELECT k, id, i8, ${inner.mkString(",")} FROM t").createOrReplaceTempView("each")
    val merged = indexed.map { case ((f, _), i) => over(s"merge_partial($f(p$i))") }
    val whole = calls.map { case (f, c) => unframed(s"$f($c)") }
    val found = byKey(spark.sql(s"SELECT id, ${merged.mkString(",\n")} FROM each"))
    val expected = byKey(spark.sql(s"SELECT id, ${whole.mkString(",\n")} FROM t"))
    for (id <- expected.keys; (call, i) <- calls.zipWithIndex)
      assert(found(id)(i) === expected(id)(i), s"$call at $id")
  }

  frames.foreach { frame =>
    sampledTest(s"in OVER $frame") {
      eachRow(c => s"$c OVER $frame", c => s"$c OVER $frame")
    }
  }

  test("in OVER with Spark's own operator") {
    def merged = byKey(spark.sql(
      "SELECT id, merge_partial(avg(p)) OVER w, merge_partial(median(m)) OVER w FROM (" +
        "SELECT id, k, partial(avg(x)) AS p, partial(median(x)) AS m FROM t GROUP BY id, k) " +
        "WINDOW w AS (PARTITION BY k ORDER BY id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING)"
    ))
    val ours = withMuntin(enabled = true)(merged)
    assert(withMuntin(enabled = false)(merged) === ours)
  }

  sampledTest("in sliding and since") {
    val ordered = "(PARTITION BY k ORDER BY id)"
    Seq("sliding(#, 7, i8 > 0)", "sliding(#, 20, partial => true)", "since(#, i8 = 2)").foreach {
      motion =>
        val over = (c: String) => s"${motion.replace("#", c)} OVER $ordered"
        eachRow(over, over)
    }
  }

  test("partials in OVER: the partials of a frame, merged again") {
    val found = byKey(spark.sql(
      "SELECT id, merge_partial(avg(p)), merge_partial(var_samp(q)) FROM (" +
        "SELECT id, partial(avg(x)) OVER w AS p, partial(var_samp(i32)) OVER w AS q FROM t " +
        "WINDOW w AS (PARTITION BY k ORDER BY id ROWS 9 PRECEDING)) GROUP BY id"
    ))
    assert(found === byKey(spark.sql(
      "SELECT id, avg(x) OVER w, var_samp(i32) OVER w FROM t " +
        "WINDOW w AS (PARTITION BY k ORDER BY id ROWS 9 PRECEDING)"
    )))
  }

  sampledTest("many groups: by sort, and without a map-side hash") {
    def merged = byKey(spark.sql(
      "SELECT g, merge_partial(avg(p)), merge_partial(stddev(p)), merge_partial(median(m)) FROM (" +
        "SELECT id % 3000 AS g, id % 7 AS b, partial(stddev(v)) AS p, partial(median(v)) AS m FROM (" +
        "SELECT id, (id * 7919 % 1000) / 7D AS v FROM range(0, 20000, 1, 3)) GROUP BY ALL) GROUP BY g"
    ))
    val whole = byKey(spark.sql(
      "SELECT id % 3000 AS g, avg(v) OVER w, stddev(v) OVER w, median(v) OVER w FROM (" +
        "SELECT id, (id * 7919 % 1000) / 7D AS v FROM range(0, 20000, 1, 3)) " +
        "WINDOW w AS (PARTITION BY id % 3000)"
    ))
    assert(merged === whole)
    withConf("spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "100000") {
      assert(merged === whole)
    }
    withConf("spark.sql.execution.useObjectHashAggregateExec" -> "false") {
      assert(merged === whole)
    }
  }

  test("from DataFrames, in GROUP BY and in OVER") {
    val t = spark.table("t")
    val parts = t.groupBy(F.col("k"), F.col("id") % 5)
      .agg(
        F.call_function("partial", F.avg("x")).as("p"),
        F.call_function("partial", F.corr("x", "y")).as("c")
      )
    val merged = parts.groupBy("k").agg(
      F.call_function("merge_partial", F.avg("p")),
      F.call_function("merge_partial", F.call_function("corr", F.col("c")))
    )
    val w = Window.partitionBy("k")
    assert(byKey(merged) ===
      byKey(t.select(F.col("k"), F.avg("x").over(w), F.corr("x", "y").over(w))))
    val over = parts.select(F.col("k"), F.call_function("merge_partial", F.avg("p")).over(w))
    assert(byKey(over) === byKey(t.select(F.col("k"), F.avg("x").over(w))))
  }

  test("in views, CTEs and subqueries") {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW parts_of_k AS SELECT k, partial(sum(i32)) AS p FROM t GROUP BY k"
    )
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW merged_of_k AS SELECT merge_partial(sum(p)) AS s FROM parts_of_k"
    )
    val expected = only("SELECT sum(i32) FROM t")
    assert(only("SELECT * FROM merged_of_k") === expected)
    assert(
      only("WITH p AS (SELECT * FROM parts_of_k) SELECT merge_partial(sum(p)) FROM p") === expected
    )
    assert(only("SELECT (SELECT merge_partial(sum(p)) FROM parts_of_k) AS s") === expected)
    assert(rows("SELECT k FROM parts_of_k GROUP BY k HAVING merge_partial(count(p)) > 50").nonEmpty)
  }

  test("partials of other types, united by UNION: merged if possible, otherwise rejected") {
    def over(a: String, b: String) =
      s"SELECT merge_partial(sum(p)), merge_partial(avg(p)) FROM (SELECT partial(sum($a)) AS p FROM t " +
        s"UNION ALL SELECT partial(sum($b)) FROM t)"
    val doubles = only(over("i32", "y"))
    val whole = rows(
      "SELECT sum(v) OVER (), avg(v) OVER () FROM (SELECT CAST(i32 AS DOUBLE) AS v FROM t " +
        "UNION ALL SELECT y FROM t) LIMIT 1"
    ).head
    assert(doubles === whole)
    assert(only(over("d5", "CAST(d5 AS DECIMAL(20, 6))")).getDecimal(0) ===
      only("SELECT 2 * CAST(sum(d5) AS DECIMAL(20, 6)) FROM t").getDecimal(0).setScale(6))
    refused(over("d5", "y"))(
      "MUNTIN_UNREADABLE_PARTIAL",
      "error" -> "a sum of decimals of scale 2 cannot be added to one of doubles"
    )
  }

  test("a sum's partial is small") {
    val length = only(
      "SELECT octet_length(partial(avg(20 + id % 150 / 10D)).sum) FROM range(100000)"
    ).getInt(0)
    assert(length <= 20)
  }

  private def refused(query: String)(condition: String, parameters: (String, String)*): Unit =
    assertFails(condition, parameters: _*)(spark.sql(query).collect())

  test("partial rejects expressions that are not aggregates, and aggregates without partials") {
    val notAnAggregate = "MUNTIN_NOT_AN_AGGREGATE"
    refused("SELECT partial(x) FROM t")(notAnAggregate, "function" -> "partial")
    refused("SELECT partial(upper(s)) FROM t")(notAnAggregate)
    refused("SELECT partial(row_number()) OVER (ORDER BY id) FROM t")(notAnAggregate)
    refused("SELECT partial(partial(sum(x))) FROM t")("MUNTIN_PARTIAL_OF_PARTIAL")
    val withoutPartials = "MUNTIN_AGGREGATE_WITHOUT_PARTIALS"
    refused("SELECT partial(listagg(s) WITHIN GROUP (ORDER BY id)) FROM t")(withoutPartials)
    refused("SELECT partial(count(DISTINCT i32, s)) FROM t")(withoutPartials)
    refused("SELECT partial(sliding(sum(x), 2)) OVER (ORDER BY id) FROM t")(
      "MUNTIN_AGGREGATE_HAS_WINDOW"
    )
  }

  test("merge_partial rejects other types, and partials without the required components") {
    val parts = "(SELECT k, partial(count(x)) AS p, partial(max(x)) AS m FROM t GROUP BY k)"
    val notAPartial = "MUNTIN_NOT_A_PARTIAL"
    refused("SELECT merge_partial(sum(x)) FROM t")(notAPartial, "type" -> "DOUBLE")
    refused("SELECT merge_partial(sum(s)) FROM t")(notAPartial, "type" -> "STRING")
    refused("SELECT merge_partial(max(st)) FROM t")(notAPartial)
    refused("SELECT merge_partial(x) FROM t")("MUNTIN_NOT_AN_AGGREGATE")
    refused(s"SELECT merge_partial(p) FROM $parts")("MUNTIN_NOT_AN_AGGREGATE")
    refused(s"SELECT merge_partial(count(*)) FROM $parts")(notAPartial, "type" -> "INT")
    refused(s"SELECT merge_partial(corr(p)) FROM $parts")("MUNTIN_PARTIAL_OF_ONE_INPUT")
    def lacks(query: String, required: String, stored: String): Unit = refused(query)(
      "MUNTIN_INCOMPLETE_PARTIAL",
      "required" -> required,
      "stored" -> stored
    )
    lacks(s"SELECT merge_partial(avg(p)) FROM $parts", "count, sum", "count")
    refused(s"SELECT merge_partial(sum(m)) OVER (ORDER BY k) FROM $parts")(
      "MUNTIN_INCOMPLETE_PARTIAL",
      "stored" -> "max",
      "supported" -> "max, bool_or"
    )
    lacks(
      "SELECT merge_partial(approx_count_distinct(p, 0.1D)) FROM " +
        "(SELECT partial(approx_count_distinct(i32)) AS p FROM t)",
      "approx_count_distinct_0.1",
      "approx_count_distinct_0.05"
    )
    // A partial contains a fixed number of first values.
    lacks(
      "SELECT merge_partial(nth(p, 5)) FROM (SELECT partial(nth(s, 2)) AS p FROM t)",
      "nth_5",
      "nth_2"
    )
    lacks(
      "SELECT merge_partial(top_n(p, 5)) FROM (SELECT partial(top_n(x, 2)) AS p FROM t)",
      "top_n_5",
      "top_n_2"
    )
    lacks(
      "SELECT merge_partial(ewm_mean(p, half_life => 3)) FROM " +
        "(SELECT partial(ewm_mean(x, half_life => 2)) AS p FROM t)",
      "ewm_mean_half_life_3",
      "ewm_mean_half_life_2"
    )
  }

  test("a partial of a newer layout is rejected") {
    refused(
      "SELECT merge_partial(sum(p)) FROM (SELECT named_struct('v2', named_struct('x', 1), 's', 2) AS p)"
    )("MUNTIN_PARTIAL_OF_NEWER_VERSION", "layout" -> "v2", "supported" -> "v1")
  }

  test("bytes that are not a sum are rejected") {
    val made = "SELECT named_struct('v1', named_struct('x', 1), 'count', 1L, 'sum', X'08') AS p"
    refused(s"SELECT merge_partial(sum(p)) FROM ($made)")(
      "MUNTIN_UNREADABLE_PARTIAL",
      "error" -> "1 bytes are not a sum of version 1"
    )
  }

  test("a state of a newer layout is rejected") {
    val made = "named_struct('v1', named_struct('x', 1D), 'ewm_mean_half_life_2', X'FE00')"
    refused(s"SELECT merge_partial(ewm_mean(p, half_life => 2)) FROM (SELECT $made AS p)")(
      "MUNTIN_UNREADABLE_PARTIAL",
      "error" -> "a state of layout 2, written by a newer Muntin; this version reads layout 1"
    )
  }

  // Written once, by the first version: every later version must read it, and write the same bytes.
  sampledTest("stored partials of v1 are finalized correctly, and written unchanged") {
    val lines =
      Files.readAllLines(java.nio.file.Path.of(getClass.getResource("/partials-v1.tsv").toURI))
    val kept = lines.asScala.toSeq.filterNot(_.startsWith("#")).map(_.split("\t").toSeq)
    assert(kept.size === Golden.size)
    kept.zip(Golden).foreach { case (line, (known, inputs)) =>
      val (call, schema, json, expected) = (line(0), line(1), line(2), line(3))
      assert(call === known)
      val quoted = json.replace("\\", "\\\\").replace("'", "\\'")
      val read =
        s"SELECT merge_partial(${call.replace("#", "p")}) AS r FROM (SELECT from_json('$quoted', '$schema').p AS p)"
      assert(text(read) === expected, call)
      assert(golden(call, inputs) === line)
    }
  }

  private def text(query: String): String =
    only(s"SELECT to_json(named_struct('r', r)) FROM ($query)").getString(0)

  private def golden(call: String, inputs: String): Seq[String] = {
    val made = spark.sql(s"SELECT partial(${call.replace("#", inputs)}) AS p FROM $GoldenRows")
    made.createOrReplaceTempView("golden")
    val json = only("SELECT to_json(named_struct('p', p)) FROM golden").getString(0)
    val result = text(s"SELECT merge_partial(${call.replace("#", "p")}) AS r FROM golden")
    Seq(call, made.schema.asNullable.toDDL, json, result)
  }
}

object PartialsSuite {
  private val GoldenRows =
    "VALUES (1, 1.5D, 2D, 'b', 1.25), (2, -0.1D, 3.5D, 'a', -7.00), (2, 1e300D, -1D, 'b', 0.01), " +
      "(null, null, 0.25D, null, null) AS rows(i, x, y, s, d)"

  /** One partial of each layout, and the inputs. */
  private val Golden: Seq[(String, String)] = Seq(
    "count(#)" -> "s",
    "sum(#)" -> "i",
    "avg(#)" -> "d",
    "avg(#)" -> "x",
    "avg(#)" -> "x / 0.5D - y",
    "stddev(#)" -> "y",
    "skewness(#)" -> "y",
    "kurtosis(#)" -> "y",
    "corr(#)" -> "x, y",
    "min(#)" -> "s",
    "max(#)" -> "x",
    "count_if(#)" -> "i = 2",
    "max_by(#)" -> "s, y",
    "median(#)" -> "i",
    "mode(#)" -> "s",
    "count(DISTINCT #)" -> "s",
    "collect_list(#)" -> "s",
    "collect_set(#)" -> "s",
    "first(#)" -> "s",
    "bit_xor(#)" -> "i",
    "approx_count_distinct(#)" -> "s",
    "approx_percentile(#, 0.5D)" -> "y"
  )

  /** Counts, with a state that only its own buffer can represent. */
  object Tagged
      extends Aggregator[Option[Int], (Long, Long), Long] {
    override def zero: (Long, Long) = (0L, 0L)
    override def reduce(b: (Long, Long), a: Option[Int]): (Long, Long) =
      (b._1 + a.getOrElse(0), b._2 + 1L)
    override def merge(a: (Long, Long), b: (Long, Long)): (Long, Long) = (a._1 + b._1, a._2 + b._2)
    override def finish(b: (Long, Long)): Long = 1000L * b._1 + b._2
    override def bufferEncoder: Encoder[(Long, Long)] =
      Encoders.tuple(Encoders.scalaLong, Encoders.scalaLong)
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }

  /** An aggregate of two inputs. */
  object Weighted extends Aggregator[(Option[Int], Option[Byte]), Long, Long] {
    override def zero: Long = 0L
    override def reduce(sum: Long, row: (Option[Int], Option[Byte])): Long =
      sum + row._1.getOrElse(0).toLong * row._2.getOrElse(0.toByte).toLong
    override def merge(a: Long, b: Long): Long = a + b
    override def finish(sum: Long): Long = sum
    override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }
}

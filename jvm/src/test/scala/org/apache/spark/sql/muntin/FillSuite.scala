package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.scalatest.Assertion

/** fill, against the nearest rows with a value, by definition. */
class FillSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "all_rows", rows = 140, seed = 61)
    // More gaps than the table has, with several consecutive rows.
    spark.sql(
      "CREATE TEMP VIEW t AS SELECT id, k, i8, i32, i64, d5, f, x, ts, ntz, day, " +
        "IF(id % 7 IN (1, 2, 5), NULL, y) AS y, IF(id % 5 < 3, NULL, s) AS s, " +
        "IF(id % 4 = 1, NULL, d18) AS d FROM all_rows"
    ): Unit
  }

  private case class Found(id: Int, key: Any, time: Option[BigDecimal], value: Any)

  private def number(time: Any): Option[BigDecimal] = time match {
    case null => None
    case d: Double if d.isNaN || d.isInfinite => None
    case other => Some(BigDecimal(other.toString))
  }

  /** Returns the results by definition, over the rows of one key in their order. */
  private def filled(
      rows: IndexedSeq[Found],
      method: String,
      most: Option[BigDecimal]
  ): Seq[Any] =
    rows.indices.map { i =>
      val row = rows(i)
      val before = rows.take(i).reverse.find(_.value != null)
      val after = rows.drop(i + 1).find(_.value != null)
      def distance(a: Found, b: Found): Option[BigDecimal] =
        for (x <- a.time; y <- b.time) yield (x - y).abs
      def near(other: Option[Found]) = other.filter { o =>
        most.forall(m => distance(o, row).exists(_ <= m))
      }.map(_.value).orNull
      def double(value: Any) = BigDecimal(value.toString)
      if (row.value != null) row.value
      else method match {
        case "last" => near(before)
        case "next" => near(after)
        case "nearest" if row.time.isEmpty => null
        case "nearest" =>
          val isBefore = after.isEmpty || before.exists { b =>
            (for (x <- distance(b, row); y <- distance(row, after.get)) yield x <= y)
              .getOrElse(false)
          }
          near(if (isBefore) before else after)
        case "linear" =>
          val line = for {
            b <- before
            a <- after
            whole <- distance(b, a)
            part <- distance(b, row)
            if most.forall(whole <= _)
            if whole.signum > 0
          } yield double(b.value) + (double(a.value) - double(b.value)) * part / whole
          val here = before.filter(distance(_, row).exists(_.signum == 0))
            .orElse(after.filter(distance(row, _).exists(_.signum == 0)))
          here.map(h => double(h.value)).orElse(line).fold[Any](null)(_.toDouble)
      }
    }

  private case class Fill(value: String, method: String, gap: Option[(String, BigDecimal)]) {
    def call: String = s"fill($value, '$method'" + gap.fold("")(g => s", max_gap => ${g._1}") + ")"
  }

  /** Returns all results from one query. */
  private def check(time: String, asNumber: String, way: String, fills: Seq[Fill]): Assertion = {
    val over = s"OVER (PARTITION BY k ORDER BY $time$way, id)"
    val query = s"SELECT id, k, $asNumber, row_number() $over, " +
      fills.map(f => s"${f.value}, ${f.call} $over").mkString(",\n") + " FROM t"
    val made = spark.sql(query)
    assert(muntinNodes(made).nonEmpty)
    val rows = made.collect().toSeq.sortBy(_.getInt(3))
    for ((fill, i) <- fills.zipWithIndex; partition <- rows.groupBy(_.get(1)).values) {
      val place = 4 + 2 * i
      val found = partition.map(r => Found(r.getInt(0), r.get(1), number(r.get(2)), r.get(place)))
      val wanted = filled(found.toIndexedSeq, fill.method, fill.gap.map(_._2))
      partition.zip(wanted).foreach { case (row, value) =>
        if (!isSame(row.get(place + 1), value))
          fail(s"${fill.call} is ${row.get(place + 1)}, wanted $value: $row of $query")
      }
    }
    succeed
  }

  private def isSame(found: Any, wanted: Any): Boolean = (found, wanted) match {
    case (a: Double, b: java.math.BigDecimal) => Outcome.near(a, b.doubleValue)
    case (a: Double, b: Number) => Outcome.near(a, b.doubleValue)
    case (a, b) => a == b
  }

  private val times: Seq[(String, String, String, BigDecimal)] = Seq(
    ("ts", "unix_micros(ts)", "INTERVAL 8 HOURS", BigDecimal(8L * 3600 * 1000000)),
    ("ts", "unix_micros(ts)", "'3 hours'", BigDecimal(3L * 3600 * 1000000)),
    ("ntz", "unix_micros(ntz::timestamp)", "7200", BigDecimal(2L * 3600 * 1000000)),
    ("day", "unix_date(day)", "3", BigDecimal(3)),
    ("i8", "i8", "1", BigDecimal(1)),
    ("i64", "i64", "3000000021", BigDecimal(3000000021L)),
    ("d5", "d5", "0.75", BigDecimal("0.75"))
  )

  for ((time, asNumber, gap, most) <- times; descending <- Seq(false, true))
    sampledTest(s"the nearest values along $time${if (descending) " DESC" else ""}, within $gap") {
      withConf("spark.sql.session.timeZone" -> "UTC") {
        val fills = for {
          method <- Seq("linear", "last", "next", "nearest")
          value <- if (method == "linear") Seq("y", "d", "i32") else Seq("s", "y")
          within <- Seq(None, Some(gap -> most))
        } yield Fill(value, method, within)
        check(time, asNumber, if (descending) " DESC" else "", fills)
      }
    }

  test("readings, DuckDB's table, and the names of columns") {
    val readings =
      "VALUES (0, 10.0D), (1, NULL), (4, 18.0D), (5, NULL), (9, 20.0D), (12, NULL) AS r(t, x)"
    def values(call: String) =
      spark.sql(
        s"SELECT $call OVER (ORDER BY t) FROM $readings ORDER BY t"
      ).collect().map(_.get(0)).toSeq
    assert(values("fill(x)") === Seq[Any](10.0, 12.0, 18.0, 18.4, 20.0, null))
    assert(values("fill(x, max_gap => 4)") === Seq[Any](10.0, 12.0, 18.0, null, 20.0, null))
    assert(values("fill(x, 'NEXT')") === Seq[Any](10.0, 18.0, 18.0, 20.0, 20.0, null))
    assert(values("fill(x, 'last')") === Seq[Any](10.0, 10.0, 18.0, 18.0, 20.0, 20.0))
    assert(values("fill(x, 'nearest', 1)") === Seq[Any](10.0, 10.0, 18.0, 18.0, 20.0, null))
    val names = spark.sql(
      s"SELECT fill(x) OVER (ORDER BY t), fill(x, 'last', 3) OVER (PARTITION BY t % 2 ORDER BY t) FROM $readings"
    ).columns
    assert(names.toSeq === Seq(
      "fill(x) OVER (ORDER BY t ASC NULLS FIRST)",
      "fill(x, method => last, max_gap => 3) OVER (PARTITION BY (t % 2) ORDER BY t ASC NULLS FIRST)"
    ))
    val found = spark.sql(
      s"WITH f AS (SELECT t, fill(x) OVER (ORDER BY t) + 1 AS x FROM $readings) SELECT sum(x) FROM f WHERE t > 3"
    ).collect().head.getDouble(0)
    assert(found === 18.0 + 18.4 + 20.0 + 3)
  }

  test("rows at one time, and infinite values") {
    val rows = "VALUES (1, 1, 5.0D), (1, 2, NULL), (1, 3, 7.0D), (2, 4, NULL), " +
      "(3, 5, double('Infinity')) AS r(t, n, x)"
    assert(
      spark.sql(s"SELECT fill(x) OVER (ORDER BY t, n) FROM $rows ORDER BY n").collect()
        .map(_.getDouble(0)).toSeq === Seq(
        5.0,
        5.0,
        7.0,
        Double.PositiveInfinity,
        Double.PositiveInfinity
      )
    )
  }

  private def refuses(item: String)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](spark.sql(s"SELECT $item FROM t")),
      condition,
      parameters: _*
    )

  test("invalid arguments are rejected") {
    val w = "OVER (PARTITION BY k ORDER BY ts)"
    val wrongType = "MUNTIN_INVALID_ARGUMENT_TYPE"
    val wrongValue = "MUNTIN_INVALID_ARGUMENT_VALUE"
    refuses(s"fill(s) $w")(wrongType, "parameter" -> "x", "type" -> "STRING")
    refuses(s"fill(y, 'cubic') $w")(wrongValue, "parameter" -> "method", "argument" -> "'cubic'")
    refuses(s"fill(y, s) $w")(wrongValue, "parameter" -> "method")
    refuses(s"fill(y, max_gap => 0) $w")(wrongValue, "parameter" -> "max_gap", "argument" -> "0")
    refuses(s"fill(y, 'last', 'long') $w")(wrongValue, "parameter" -> "max_gap")
    refuses("fill(y) OVER (ORDER BY s)")(wrongType, "parameter" -> "ORDER BY", "type" -> "STRING")
    refuses("fill(y, 'last', 3) OVER (ORDER BY s)")(wrongType, "parameter" -> "ORDER BY")
    refuses("fill(y) OVER (PARTITION BY k)")("MUNTIN_MISSING_ORDER_BY", "function" -> "fill")
    refuses("fill(y)")("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE")
    refuses("fill(y) OVER (ORDER BY ts ROWS 3 PRECEDING)")(
      "MUNTIN_UNEXPECTED_FRAME",
      "function" -> "fill"
    )
    refuses(s"fill(y) FILTER (WHERE i8 > 0) $w")("MUNTIN_CLAUSE_OF_FILL", "function" -> "fill")
    spark.sql("SELECT fill(s, 'last') OVER (ORDER BY s) FROM t").collect(): Unit
  }

  test("TIME: as the value, and as the order without distances") {
    assume(RunningSpark.hasTime)
    // Without a null of the type TIME, because Spark does not cast it.
    val table =
      "(SELECT id, CASE id WHEN 1 THEN TIME'10:00:00' WHEN 4 THEN TIME'13:00:00' END AS v, " +
        "CASE id WHEN 1 THEN TIME'11:00:00' WHEN 2 THEN TIME'12:00:00' WHEN 3 THEN TIME'13:00:00' " +
        "WHEN 4 THEN TIME'14:00:00' ELSE TIME'15:00:00' END AS t FROM range(1, 6))"
    // By default Spark 4.3 does not return TIME to the driver, and does not cast it to text.
    def hour(time: String) =
      s"CASE $time WHEN TIME'10:00:00' THEN 10 WHEN TIME'13:00:00' THEN 13 END"
    val times = Seq(
      "fill(v, 'last') OVER (ORDER BY id)",
      "fill(v, 'next') OVER (ORDER BY id)",
      "fill(v, 'nearest') OVER (ORDER BY id)",
      "fill(v, 'last', max_gap => 1) OVER (ORDER BY id)",
      "fill(v, 'last') OVER (ORDER BY t)"
    )
    val found = spark.sql(
      s"SELECT id, ${times.map(hour).mkString(", ")}, fill(nullif(id, 2), 'last') OVER (ORDER BY t), " +
        s"fill(nullif(id, 2), 'next') OVER (ORDER BY t DESC) FROM $table ORDER BY id"
    ).collect().map(_.toSeq.map(v => Option(v).map(_.toString).orNull)).toSeq
    assert(found === Seq(
      Seq("1", "10", "10", "10", "10", "10", "1", "1"),
      Seq("2", "10", "13", "10", "10", "10", "1", "1"),
      Seq("3", "10", "13", "13", null, "10", "3", "3"),
      Seq("4", "13", "13", "13", "13", "13", "4", "4"),
      Seq("5", "13", null, "13", "13", "13", "5", "5")
    ))
    def refused(call: String, parameter: String): Unit = assertCondition(
      intercept[AnalysisException](spark.sql(s"SELECT $call FROM $table")),
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "parameter" -> parameter,
      "type" -> "TIME(6)"
    )
    refused("fill(v) OVER (ORDER BY id)", "x")
    refused("fill(id) OVER (ORDER BY t)", "ORDER BY")
    refused("fill(id, 'nearest') OVER (ORDER BY t)", "ORDER BY")
  }
}

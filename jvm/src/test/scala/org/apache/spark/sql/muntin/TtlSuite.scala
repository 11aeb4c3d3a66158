package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** The argument `ttl` in a batch: as if the number of longer gaps so far were another key. */
final class TtlSuite extends MuntinSession {
  private val schema = StructType.fromDDL(
    "k string, i int, t timestamp, day date, n int, m decimal(9, 2), x double, v int"
  )

  private def rows(seed: Long): Seq[Row] = {
    val random = new Random(seed)
    Seq.tabulate(120) { i =>
      val place = random.nextInt(400)
      val isNull = random.nextInt(30) == 0
      def some(value: Any) = if (isNull) null else value
      Row(
        Seq("a", "b", null)(random.nextInt(3)),
        i,
        some(new java.sql.Timestamp(place * 1000L)),
        some(java.sql.Date.valueOf(java.time.LocalDate.of(2024, 1, 1).plusDays(place.toLong))),
        some(place),
        some(new java.math.BigDecimal(place).movePointLeft(2)),
        some(place / 8.0),
        random.nextInt(100)
      )
    }
  }

  // A column, a ttl along it, and the distance of two of its values in units of the ttl.
  private val times: Seq[(String, String, (String, String) => String, String)] = Seq(
    ("t", "INTERVAL 7 SECONDS", (a, b) => s"unix_millis($a) - unix_millis($b)", "7000"),
    ("t", "'0 day 7 seconds'", (a, b) => s"unix_millis($a) - unix_millis($b)", "7000"),
    ("day", "7", (a, b) => s"datediff($a, $b)", "7"),
    ("n", "7", (a, b) => s"$a - $b", "7"),
    ("m", "0.07", (a, b) => s"$a - $b", "0.07"),
    ("x", "0.875", (a, b) => s"$a - $b", "0.875")
  )

  private val functions: Seq[(String => String, String, String)] = Seq(
    (ttl => s"sliding(sum(v), 3, v % 2 = 0, true$ttl)", "", ""),
    (ttl => s"since(collect_list(v), v < 20, 2, 'left'$ttl)", "", ""),
    (
      ttl => s"framed(sum(v), closed => 'left'$ttl)",
      "ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING",
      ""
    ),
    (ttl => s"framed(count(*)$ttl)", "", ""),
    (
      ttl => s"framed(max(v), complete => true$ttl)",
      "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
      ""
    ),
    (ttl => s"framed(avg(v), min_periods => 3$ttl)", "ROWS 4 PRECEDING", ""),
    (
      ttl => s"framed(sum(v) FILTER (WHERE v > 9), exclude => 'current row'$ttl)",
      "ROWS 4 PRECEDING",
      ""
    )
  )

  for (((time, ttl, distance, least), n) <- times.zipWithIndex)
    test(s"along $time, a ttl of $ttl") {
      Tables.of(spark, rows(n.toLong), schema).createOrReplaceTempView("t")
      // Null times are one partition: they come first.
      spark.sql(
        s"""SELECT *, sum(CASE WHEN ${distance(time, "before")} > $least
           |    OR $time IS NOT NULL AND before IS NULL THEN 1 ELSE 0 END)
           |  OVER (PARTITION BY k ORDER BY $time, i ROWS UNBOUNDED PRECEDING) AS h
           |FROM (SELECT *, lag($time) OVER (PARTITION BY k ORDER BY $time, i) AS before FROM t)
           |""".stripMargin
      ).createOrReplaceTempView("numbered")
      for (((function, frame, _), f) <- functions.zipWithIndex) {
        def query(call: String, keys: String, from: String) = spark.sql(
          s"SELECT i, $call OVER (PARTITION BY $keys ORDER BY $time, i $frame) AS r FROM $from"
        ).collect().toSeq.map(_.toString).sorted
        withClue(s"function $f: ") {
          assert(query(
            function(s", ttl => $ttl"),
            "k",
            "t"
          ) === query(function(""), "k, h", "numbered"))
        }
      }
    }

  test("a column that the query does not name has the name of the call") {
    val named = spark.sql("SELECT sliding(sum(id), 2, ttl => 3) OVER (ORDER BY id) FROM range(3)")
    assert(named.columns.head.startsWith("sliding(sum(id), 2"))
  }

  test("in descending order, over the whole table, and twice in one query") {
    val sql =
      """SELECT id, sliding(collect_list(id), 3, partial => true, ttl => 2) OVER (ORDER BY id DESC) AS a,
        |  since(collect_list(id), false, ttl => 5) OVER (ORDER BY id) AS b
        |FROM VALUES 1L, 2L, 5L, 6L, 8L, 20L AS t(id) ORDER BY id""".stripMargin
    assert(spark.sql(sql).collect().map(_.toString).toSeq === Seq(
      "[1,ArraySeq(2, 1),ArraySeq(1)]",
      "[2,ArraySeq(2),ArraySeq(1, 2)]",
      "[5,ArraySeq(8, 6, 5),ArraySeq(1, 2, 5)]",
      "[6,ArraySeq(8, 6),ArraySeq(1, 2, 5, 6)]",
      "[8,ArraySeq(8),ArraySeq(1, 2, 5, 6, 8)]",
      "[20,ArraySeq(20),ArraySeq(20)]"
    ))
  }

  test("without an order there are no gaps") {
    val error = intercept[org.apache.spark.sql.AnalysisException] {
      spark.sql("SELECT framed(sum(id), ttl => 3) OVER () FROM range(3)")
    }
    assertCondition(error, "MUNTIN_MISSING_ORDER_BY")
  }
}

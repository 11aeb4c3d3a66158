package org.apache.spark.sql.muntin

/** collect_list, array_agg and listagg in every kind of frame, against stock Spark. */
class ListsSuite extends MuntinSession {
  import ListsSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 90, seed = 27)
  }

  private val values = RandomTable.columns.map(_.name)

  frames.foreach { frame =>
    test(s"collect_list of every type OVER ($frame)") {
      sameRows(select(values.map(v => s"collect_list($v) OVER w"), frame))
    }

    test(s"array_agg, nulls respected, FILTER, in expressions OVER ($frame)") {
      sameRows(select(
        Seq(
          "collect_list(s) FILTER (WHERE i32 > 0) OVER w",
          "collect_list(s) RESPECT NULLS OVER w",
          "array_agg(x) RESPECT NULLS OVER w",
          "array_agg(d38) FILTER (WHERE flag) RESPECT NULLS OVER w",
          "array_agg(id) OVER w",
          "array_agg(id) FILTER (WHERE flag) OVER w",
          "collect_list(map(id, s)) OVER w",
          "collect_list(NULL) OVER w",
          "concat_ws('-', collect_list(s) OVER w)",
          "aggregate(collect_list(i32) OVER w, 0L, (a, b) -> a + b)",
          "array_sort(collect_list(st) OVER w)",
          "transform(collect_list(i8) RESPECT NULLS OVER w, e -> e IS NULL)"
        ),
        frame
      ))
    }

    test(s"listagg OVER ($frame)") {
      sameRows(select(
        Seq(
          "listagg(s) OVER w",
          "listagg(s, ', ') OVER w",
          "string_agg(lc, '' COLLATE UTF8_LCASE) OVER w",
          "listagg(lc, 'é' COLLATE UTF8_LCASE) OVER w",
          "listagg(bin) OVER w",
          "listagg(bin, X'00FF') OVER w",
          "listagg(s, NULL) OVER w",
          "listagg(s, '|') FILTER (WHERE i32 > 0) OVER w",
          "listagg(CAST(id AS STRING), '|') OVER w",
          "length(listagg(s, '|') OVER w)",
          "upper(listagg(s, '|') OVER w)"
        ),
        frame
      ))
    }
  }

  Seq("PARTITION BY k", "").foreach { frame =>
    test(s"listagg WITHIN GROUP OVER ($frame)") {
      sameRows(select(
        ordered.map(o => s"listagg(s, ',') WITHIN GROUP (ORDER BY $o) OVER w") ++ Seq(
          "listagg(s) WITHIN GROUP (ORDER BY s DESC) OVER w",
          "listagg(lc, '|' COLLATE UTF8_LCASE) WITHIN GROUP (ORDER BY lc) OVER w",
          "listagg(lc, '|' COLLATE UTF8_LCASE) WITHIN GROUP (ORDER BY lc DESC) OVER w",
          "listagg(bin, X'00') WITHIN GROUP (ORDER BY bin, id) OVER w",
          "listagg(s, ',') WITHIN GROUP (ORDER BY i8) FILTER (WHERE flag) OVER w",
          "listagg(CAST(id AS STRING), ',') WITHIN GROUP (ORDER BY i8) OVER w",
          "length(listagg(s) WITHIN GROUP (ORDER BY x) OVER w)"
        ),
        frame
      ))
    }
  }

  // Spark rejects it in ordered frames, so the oracle sorts a collected list.
  frames.foreach { frame =>
    test(s"listagg WITHIN GROUP in an ordered frame OVER ($frame)") {
      val outcome = checkAgainst(
        select(
          Seq(
            "array_join(transform(array_sort(collect_list(IF(s IS NULL, NULL, " +
              "struct(i8 IS NOT NULL, i8, id, s))) OVER w), e -> e.s), ',')",
            "array_join(transform(reverse(array_sort(collect_list(IF(s IS NULL, NULL, " +
              "struct(i8 IS NOT NULL, i8, -id, s))) OVER w)), e -> e.s), ',')",
            "array_join(sort_array(collect_set(s) OVER w, false), '-')"
          ).map(e => s"nullif($e, IF(count(s) OVER w = 0, '', NULL))"),
          frame
        ),
        select(
          Seq(
            "listagg(s, ',') WITHIN GROUP (ORDER BY i8, id) OVER w",
            "listagg(s, ',') WITHIN GROUP (ORDER BY i8 DESC, id) OVER w",
            "listagg(DISTINCT s, '-') WITHIN GROUP (ORDER BY s DESC) OVER w"
          ),
          frame
        )
      )
      assert(outcome.isInstanceOf[Outcome.Rows])
    }
  }

  sampledTest("many rows at once, and many rows that leave") {
    val rows = "(SELECT id, id % 3 AS k, CAST(id * 7919 % 1009 AS STRING) AS s FROM range(6000))"
    Seq(
      "listagg(s, ',') OVER (PARTITION BY k ORDER BY id ROWS 300 PRECEDING)",
      "collect_list(s) OVER (PARTITION BY k ORDER BY id RANGE BETWEEN 200 PRECEDING AND 90 FOLLOWING)",
      "listagg(s, ',') WITHIN GROUP (ORDER BY s) OVER (PARTITION BY k)",
      "length(listagg(s) OVER (PARTITION BY k ORDER BY id))"
    ).foreach(f => sameRows(s"SELECT id, $f AS r FROM $rows"))
  }

  test("EXPLAIN shows the accumulators") {
    def explained(function: String): String =
      spark.sql(s"EXPLAIN FORMATTED SELECT $function FROM t").head().getString(0)
    val frame = "OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING)"
    assert(explained(s"collect_list(s) $frame").contains("slice of the frame"))
    assert(explained(s"listagg(s) $frame").contains("slice of bytes"))
    val ordered = "listagg(s) WITHIN GROUP (ORDER BY i8) OVER (PARTITION BY k)"
    assert(explained(ordered).contains("sorted positions"))
  }
}

object ListsSuite {
  val frames: Seq[String] = Seq(
    "PARTITION BY k ORDER BY id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW",
    "PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN 4 FOLLOWING AND 9 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING",
    "PARTITION BY k ORDER BY i32, id RANGE UNBOUNDED PRECEDING",
    "PARTITION BY k ORDER BY id RANGE BETWEEN 11 PRECEDING AND CURRENT ROW",
    "ORDER BY id DESC RANGE BETWEEN 20 PRECEDING AND 5 PRECEDING"
  )

  private val ordered = Seq(
    "i8",
    "i8 DESC",
    "i8 NULLS LAST",
    "i8 DESC NULLS FIRST",
    "x",
    "wild DESC",
    "lc",
    "lc DESC, i32",
    "d38 NULLS LAST, st DESC",
    "arr",
    "day DESC, i8 ASC NULLS LAST, flag"
  )

  def select(items: Seq[String], frame: String): String = {
    val named = items.zipWithIndex.map { case (e, i) =>
      s"${e.replace("OVER w", s"OVER ($frame)")} AS r$i"
    }
    s"SELECT id, ${named.mkString(", ")} FROM t"
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.FilterExec
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec

/**
 * validity against its definition: pieces found by brute force, and aggregated by stock Spark over
 * a join with the rows that are valid in each piece.
 */
class ValiditySuite extends MuntinSession {
  import ValiditySuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "random", 240, 11)
    // Starts and lengths that are often equal, some of length zero, some without an end, with gaps.
    spark.sql(
      """SELECT *, CASE WHEN pmod(hash(id, 2), 19) = 0 THEN NULL
        |  WHEN k = 3 THEN a + 5 ELSE a + pmod(hash(id, 1), 12) END AS b
        |FROM (SELECT *, pmod(hash(id), 97) AS a FROM random)
        |WHERE NOT (k <=> 0)""".stripMargin
    ).repartition(1).sortWithinPartitions("id").cache().createOrReplaceTempView("spans")
    spark.sql(
      "CREATE TEMP VIEW abc AS SELECT * FROM VALUES ('a', 0, 10), ('b', 5, 15), ('c', 20, 30) " +
        "AS abc(name, s, e)"
    ): Unit
  }

  private def ours(query: String): Seq[Row] = {
    val frame = spark.sql(query)
    assert(nodes(frame) { case w: GroupWindowsExec => w }.size === 1)
    frame.collect().toSeq
  }

  private def sorted(rows: Seq[Row]): Seq[Row] = rows.sortBy(shown(_).toString)

  private def shown(row: Row): Seq[Any] = row.toSeq.map {
    case bytes: Array[Byte] => bytes.toSeq
    case other => other
  }

  private lazy val spans: Seq[Span] =
    spark.sql("SELECT k, id, a, b FROM spans").collect().toSeq.map { r =>
      Span(Option(r.get(0)), r.getInt(1), r.getInt(2), Option(r.get(3)).map(_.asInstanceOf[Int]))
    }

  test("the examples of the page") {
    val counted = "SELECT validity.start, validity.end, count(*) FROM abc GROUP BY validity"
    assert(ours(s"$counted(s, e)") ===
      Seq(Row(0, 5, 1L), Row(5, 10, 2L), Row(10, 15, 1L), Row(20, 30, 1L)))
    assert(ours(s"$counted(s, e, drain => false)") ===
      Seq(Row(0, 5, 1L), Row(5, 10, 2L), Row(10, 15, 1L)))
    assert(ours(
      "SELECT validity.start, validity.end, count(*) FROM VALUES (0, 10), (0, 10) AS t(s, e) " +
        "GROUP BY validity(s, e)"
    ) === Seq(Row(0, 10, 2L)))
    assert(ours(s"$counted(s, e, emit => 'element')") ===
      Seq(Row(0, null, 1L), Row(5, null, 2L), Row(20, null, 1L)))
    assert(ours(s"$counted(s, e, dump_at => 2)") ===
      Seq(Row(0, 5, 1L), Row(5, 10, 2L), Row(10, 15, 1L), Row(20, 30, 1L)))
  }

  test("Odysseus: one element into the partial aggregates of two others") {
    // Four valid until t1, two from t2 until t3, and one from t1 until t4 that is added.
    val rows = Seq.fill(4)("(0, 10)") ++ Seq.fill(2)("(20, 30)") :+ "(10, 40)"
    assert(ours(
      s"SELECT validity.start, validity.end, count(*) FROM VALUES ${rows.mkString(", ")} AS t(s, e) " +
        "GROUP BY validity(s, e)"
    ) === Seq(Row(0, 10, 4L), Row(10, 20, 1L), Row(20, 30, 3L), Row(30, 40, 1L)))
  }

  test("Odysseus: one value for each start, and one for each element if latency counts") {
    val rows = "VALUES (10, 50), (20, 60), (40, 70), (40, 80) AS t(s, e)"
    assert(ours(s"SELECT validity.start, count(*) FROM $rows GROUP BY validity(s, e)") ===
      Seq(10 -> 1L, 20 -> 2L, 40 -> 4L, 50 -> 3L, 60 -> 2L, 70 -> 1L).map { case (t, n) =>
        Row(t, n)
      })
    assert(ours(
      s"SELECT validity.start, validity.end, count(*) FROM $rows GROUP BY validity(s, e, emit => 'element')"
    ) === Seq(10 -> 1L, 20 -> 2L, 40 -> 3L, 40 -> 4L).map { case (t, n) => Row(t, null, n) })
  }

  /**
   * The aggregates by stock Spark over the rows of each piece, in the order of their starts:
   * `first` prevents the optimizer from dropping it.
   */
  private def stock(pieces: Seq[Piece], functions: Seq[String]): DataFrame = {
    val rows = pieces.zipWithIndex.flatMap { case (p, i) =>
      p.rows.map(row => (i, p.from, p.to, row.id))
    }
    spark.createDataFrame(rows).toDF("i", "ps", "pe", "id").createOrReplaceTempView("valid")
    spark.sql(
      s"""SELECT first(k) AS k, first(ps) AS ps, first(pe) AS pe, ${functions.mkString(", ")} FROM (
         |  SELECT i, ps, pe, spans.* FROM spans JOIN valid USING (id)
         |  DISTRIBUTE BY i SORT BY i, a, id
         |) GROUP BY i""".stripMargin
    )
  }

  private def checkSame(arguments: String, pieces: Seq[Piece], functions: Seq[String]): Unit = {
    val frame = spark.sql(
      s"""SELECT k, validity.start AS ps, validity.end AS pe, ${functions.mkString(", ")}
         |FROM spans
         |GROUP BY k, validity(a, b$arguments)""".stripMargin
    )
    val byStock = stock(pieces, functions)
    val rounded = Outcome.roundedColumns(byStock.queryExecution.analyzed)
    def outcome(frame: DataFrame) = Outcome.Rows(frame.schema, frame.collect().toSeq, rounded)
    assert(nodes(frame) { case w: GroupWindowsExec => w }.size === 1)
    Outcome.difference(outcome(byStock), outcome(frame)).foreach { d =>
      fail(s"validity(a, b$arguments) of $functions: $d")
    }
  }

  private def byGroup(of: Seq[Span] => Seq[Piece]): Seq[Piece] =
    spans.groupBy(_.k).values.toSeq.flatMap(group => of(group.sortBy(r => (r.start, r.id))))

  aggregates.foreach { case (family, functions) =>
    sampledTest(s"$family over random spans") {
      functions.grouped(25).foreach(some => checkSame("", byGroup(pieces(_)), some))
    }
  }

  sampledTest("each aggregate separately equals all aggregates together") {
    aggregates.flatMap(_._2.take(1)).foreach(f => checkSame("", byGroup(pieces(_)), Seq(f)))
  }

  private val few = Seq("count(*)", "sum(id)", "max_by(id, a)", "min(s)")

  test("not drained") {
    val last = spans.map(_.start).max
    checkSame(", drain => false", byGroup(pieces(_).filter(_.to.exists(_ <= last))), few)
  }

  test("cut at the start of every k-th row of all groups") {
    val starts = spans.map(_.start).sorted
    Seq(1, 2, 7, 1000).foreach { k =>
      val cuts = starts.indices.filter(i => (i + 1) % k == 0).map(starts).distinct
      checkSame(s", dump_at => $k", byGroup(pieces(_, cuts)), few)
      val closed = byGroup(pieces(_, cuts)).filter(_.to.exists(_ <= starts.last))
      if (k < 3) checkSame(s", dump_at => $k, drain => false", closed, few)
    }
  }

  test("without a group") {
    val found = ours(
      "SELECT validity.start, validity.end, sum(id), count(*) FROM spans GROUP BY validity(a, b)"
    )
    val all = pieces(spans.sortBy(r => (r.start, r.id)))
    assert(found === all.map { p =>
      Row(p.from, p.to.orNull, p.rows.map(_.id.toLong).sum, p.rows.size.toLong)
    })
  }

  test("by element: a result for each row, including a row that is never valid") {
    val found = ours(
      """SELECT k, validity.start, validity.end, count(*), sum(id), max(id), max_by(id, a), count(DISTINCT b)
        |FROM spans GROUP BY k, validity(a, b, emit => 'element')
        |""".stripMargin
    )
    val expected = spans.groupBy(_.k).toSeq.flatMap { case (k, group) =>
      val rows = group.sortBy(r => (r.start, r.id))
      rows.indices.map { i =>
        val valid = rows.take(i + 1).filter(_.isValidAt(rows(i).start))
        val total = if (valid.isEmpty) null else valid.map(_.id.toLong).sum
        val most = if (valid.isEmpty) null else valid.map(_.id).max
        // The latest of the greatest start.
        val latest = if (valid.isEmpty) null else valid.last.id
        val ends = valid.flatMap(_.end).distinct.size
        Row(k.orNull, rows(i).start, null, valid.size.toLong, total, most, latest, ends.toLong)
      }
    }
    assert(found.size === spans.size)
    // Within a group they are in order; groups are in any order.
    found.groupBy(_.get(0)).foreach { case (k, rows) =>
      assert(rows === expected.filter(_.get(0) == k))
    }
  }

  sampledTest("times of every type that has an order") {
    val counts = byGroup(pieces(_))
    spark.createDataFrame(counts.map(p =>
      (
        p.rows.head.k.map(_.asInstanceOf[Int]),
        p.from,
        p.to,
        p.rows.size.toLong
      )
    )).toDF("k", "ps", "pe", "n").createOrReplaceTempView("counts")
    Seq(
      "CAST({} AS TINYINT)",
      "CAST({} AS SMALLINT)",
      "CAST({} AS BIGINT) * 1000000007",
      "CAST({} AS FLOAT) / 8 - 3",
      "CAST({} AS DOUBLE) / 8 - 3",
      "CAST({} - 40 AS DECIMAL(10, 2))",
      "CAST({} - 40 AS DECIMAL(38, 10)) * 1000000000000",
      "date_add(DATE'2024-01-01', {})",
      "timestamp_seconds({} * 1800L)",
      "CAST(timestamp_seconds({} * 1800L) AS TIMESTAMP_NTZ)",
      "make_dt_interval({})",
      "make_ym_interval({})",
      "lpad(CAST({} AS STRING), 3, '0')",
      "encode(lpad(CAST({} AS STRING), 3, '0'), 'UTF-8')",
      "named_struct('a', {}, 'b', 'x')"
    ).foreach { time =>
      def of(column: String) = s"IF($column IS NULL, NULL, ${time.replace("{}", column)})"
      val made = s"(SELECT k, ${of("a")} AS a, ${of("b")} AS b FROM spans)"
      def query(rows: String, arguments: String) =
        s"SELECT k, validity.start, validity.end, count(*) FROM $rows GROUP BY k, validity(a, b$arguments)"
      val expected = spark.sql(s"SELECT k, ${of("ps")}, ${of("pe")}, n FROM counts").collect().toSeq
      assert(sorted(ours(query(made, ""))).map(shown) === sorted(expected).map(shown), time)
      val arguments = ", dump_at => 3, drain => false"
      assert(ours(query(made, arguments)).size === ours(query("spans", arguments)).size, time)
    }
  }

  test("doubles have SQL's order") {
    assert(ours(
      """SELECT validity.start, validity.end, count(*)
        |FROM VALUES ('0.0', '1.0'), ('-0.0', 'NaN'), ('NaN', 'NaN'), ('-Infinity', '-0.0'),
        |  ('Infinity', 'NaN'), ('NaN', NULL) AS t(s, e)
        |GROUP BY validity(CAST(s AS DOUBLE), CAST(e AS DOUBLE))""".stripMargin
    ).map(_.toString) === Seq(
      "[-Infinity,0.0,1]",
      "[0.0,1.0,2]",
      "[1.0,Infinity,1]",
      "[Infinity,NaN,2]",
      "[NaN,null,1]"
    ))
  }

  test("types with a common type") {
    assert(ours("SELECT validity FROM abc GROUP BY validity(s, CAST(e AS BIGINT))").head ===
      Row(Row(0L, 5L)))
    assert(ours("SELECT validity FROM abc GROUP BY validity(s, e / 1)").head === Row(Row(0.0, 5.0)))
    assert(ours("SELECT validity FROM abc GROUP BY validity(s, NULL)").last === Row(Row(20, null)))
    assert(ours(
      "SELECT validity FROM VALUES (DATE'2024-01-01', TIMESTAMP'2024-01-01 12:00:00') AS t(s, e) " +
        "GROUP BY validity(s, e)"
    ).head.getStruct(0).getTimestamp(1).toInstant.toString === "2024-01-01T12:00:00Z")
  }

  test("a filter on a group does not change values of all groups") {
    val query = "SELECT k, validity.start, validity.end, count(*) AS n FROM spans " +
      "GROUP BY k, validity(a, b, dump_at => 5, drain => false)"
    val frame = spark.sql(s"SELECT * FROM ($query) WHERE k = 2")
    assert(frame.collect().toSeq === ours(query).filter(_.get(0) == 2))
    assert(nodes(frame) { case f: FilterExec if f.condition.sql.contains("k = 2") => f }.nonEmpty)
  }

  test("no rows") {
    Seq("", ", drain => false", ", dump_at => 2", ", emit => 'element'").foreach { arguments =>
      assert(
        ours(s"SELECT count(*) FROM abc WHERE s > 99 GROUP BY validity(s, e$arguments)") === Nil
      )
    }
  }

  test("results of a validity as rows of another") {
    val rows = spark.sql(
      """SELECT validity.start, validity.end, sum(n)
        |FROM (SELECT name, validity.start AS s, validity.end AS e, count(*) AS n
        |  FROM abc GROUP BY name, validity(s, e))
        |GROUP BY validity(s, e)""".stripMargin
    ).collect().toSeq
    assert(rows === Seq(Row(0, 5, 1L), Row(5, 10, 2L), Row(10, 15, 1L), Row(20, 30, 1L)))
  }

  private def refused(window: String)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](
        spark.sql(s"SELECT count(*) FROM abc GROUP BY $window").collect()
      ),
      condition,
      parameters: _*
    )

  test("invalid arguments are rejected") {
    Seq(
      "s, name" -> "`abc.s` INT, `abc.name` STRING",
      "NULL, NULL" -> "`NULL` VOID, `NULL` VOID",
      "s, DATE'2024-01-01'" -> "`abc.s` INT, `DATE '2024-01-01'` DATE"
    ).foreach { case (arguments, types) =>
      refused(s"validity($arguments)")("MUNTIN_INCOMPATIBLE_WINDOW_TIMES", "types" -> types)
    }
    refused("validity(map(s, e), map(s, e))")("MUNTIN_INCOMPATIBLE_WINDOW_TIMES")
    def refusedValue(window: String, parameter: String): Unit =
      refused(window)("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> parameter)
    Seq("0", "-1", "s", "2.5", "'x'").foreach { n =>
      refusedValue(s"validity(s, e, dump_at => $n)", "dump_at")
    }
    refusedValue("validity(s, e, emit => 'changes')", "emit")
    refusedValue("validity(s, e, drain => 1)", "drain")
    refused("validity(s, e, dump_at => 2, emit => 'element')")(
      "MUNTIN_DUMP_AT_WITH_ELEMENTS",
      "dumpAt" -> "2"
    )
    refused("validity(s, e + rand())")("MUNTIN_NONDETERMINISTIC")
    refused("validity(rand(), e)")("MUNTIN_NONDETERMINISTIC")
    refused("validity(s, row_number() OVER (ORDER BY s))")("MUNTIN_WINDOW_FUNCTION_IN_ARGUMENT")
  }

  private def fails(rows: String, window: String)(
      condition: String,
      parameters: (String, String)*
  ): Unit = assertFails(condition, parameters: _*) {
    spark.sql(s"SELECT k, count(*) FROM VALUES $rows AS t(k, s, e) GROUP BY k, $window").collect()
  }

  test("invalid rows are errors that show them") {
    val endsBefore = "MUNTIN_VALIDITY_ENDS_BEFORE_START"
    fails("('x', 1, 2), ('y', 7, 3), ('x', 2, 4)", "validity(s, e)")(
      endsBefore,
      "function" -> "validity",
      "filter" -> "s <= coalesce(e, s)",
      "row" -> "k = y, s = 7, e = 3"
    )
    fails("('x', 1, 2), ('x', NULL, 3)", "validity(s, e)")(
      "MUNTIN_NULL_VALIDITY_START",
      "filter" -> "s <= coalesce(e, s)",
      "row" -> "k = x, s = NULL, e = 3"
    )
    fails("('x', NULL, 1)", "validity(s, e, emit => 'element')")("MUNTIN_NULL_VALIDITY_START")
    fails(
      "('x', TIMESTAMP'2024-01-01 01:00:00', TIMESTAMP'2024-01-01 00:59:59')",
      "validity(s, e, dump_at => 2)"
    )(endsBefore, "row" -> "k = x, s = 2024-01-01 01:00:00, e = 2024-01-01 00:59:59")
    fails("('x', 'NaN', 1.0D)", "validity(CAST(s AS DOUBLE), e)")(endsBefore)
  }

  test("EXPLAIN") {
    val text = spark.sql(
      "EXPLAIN FORMATTED SELECT max(name) FROM abc GROUP BY validity(s, e, dump_at => 5, drain => false)"
    ).head().getString(0)
    assert(text.contains("dump_at => 5") && text.contains("drain => false"), text)
  }
}

object ValiditySuite {
  final case class Span(k: Option[Any], id: Int, start: Int, end: Option[Int]) {
    def isValidAt(time: Int): Boolean = start <= time && end.forall(_ > time)
  }

  final case class Piece(from: Int, to: Option[Int], rows: Seq[Span])

  /** By definition: the rows that are valid between each two consecutive times. */
  def pieces(rows: Seq[Span], cuts: Seq[Int] = Nil): Seq[Piece] = {
    val times = (rows.flatMap(r => r.start +: r.end.toSeq) ++ cuts).distinct.sorted
    times.zip(times.drop(1).map(Option(_)) :+ None)
      .map { case (from, to) => Piece(from, to, rows.filter(_.isValidAt(from))) }
      .foldLeft(Vector.empty[Piece]) { (kept, p) =>
        kept.lastOption match {
          case Some(before) if before.rows == p.rows && !cuts.contains(p.from) =>
            kept.init :+ before.copy(to = p.to)
          case _ => kept :+ p
        }
      }
      .filter(_.rows.nonEmpty)
  }

  private val values = RandomTable.columns.map(_.name)
  private val ordered = values.filterNot(Set("arr", "st"))

  /** The aggregates over the random spans, by family: a line for each new aggregate. */
  val aggregates: Seq[(String, Seq[String])] = Seq(
    "counts" -> (Seq(
      "count(*)",
      "count(*) FILTER (WHERE i32 > 0)",
      "count(i8, s)",
      "count_if(flag)"
    ) ++
      values.map(c => s"count($c)")),
    "sums and averages" -> Seq("i8", "i32", "i64", "d5", "d18", "d38", "f", "x", "dt", "ym")
      .flatMap(c => Seq(s"sum($c)", s"avg($c)", s"sum($c) FILTER (WHERE flag)")),
    "moments" -> Seq("stddev", "var_pop", "skewness", "kurtosis").map(f => s"$f(y)")
      .++(Seq("corr", "covar_samp", "regr_slope", "regr_r2").map(f => s"$f(y, i32)")),
    "extremes" -> (Seq("bool_and(flag)", "bool_or(flag)", "max(x) FILTER (WHERE i32 > 0)") ++
      ordered.flatMap(c => Seq(s"min($c)", s"max($c)"))),
    "extremes of another column" -> ordered.flatMap(c => Seq(s"max_by(id, $c)", s"min_by(s, $c)")),
    "ranks" -> Seq(
      "median(i32)",
      "median(x)",
      "median(d38)",
      "percentile(y, array(0.1, 0.9))",
      "percentile_disc(0.3) WITHIN GROUP (ORDER BY i64 DESC)"
    ),
    "distinct values" -> Seq(
      "count(DISTINCT s)",
      "count(DISTINCT i8, flag)",
      "sum(DISTINCT i32)",
      "avg(DISTINCT d5)",
      "mode() WITHIN GROUP (ORDER BY i8)"
    ),
    "bits and shares" -> Seq("bit_xor(i64)", "bit_xor(i8)")
  )
}

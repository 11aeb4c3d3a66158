package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import scala.jdk.StreamConverters._

import io.muntin.Muntin
import io.muntin.kernel.Cases
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}

/**
 * Changed queries that continue a checkpoint: after the change, the results of functions that
 * continue equal the results of a batch over all rows.
 */
final class ChangeSuite extends StreamSession {
  import StreamSession.Readings
  import StreamsOfEveryKind.{all, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  private def reading(key: String, second: Long, i: Int): Row =
    Row(key, at(second), i, if (i % 7 == 3) null else i / 4.0)

  // Keys with few and many rows, and pauses.
  private def rowsWith(step: Int): Seq[Row] = {
    val random = new scala.util.Random(5L)
    var second = 0L
    Seq.tabulate(240) { i =>
      second += (if (random.nextInt(12) == 0) 15L else step + random.nextInt(2).toLong)
      reading(s"k${math.min(random.nextInt(6), 3)}", second, i)
    }
  }

  private def divided(rows: Seq[Row]): Seq[Seq[Row]] =
    Seq(rows.take(90), rows.slice(90, 150), rows.drop(150))

  private def selected(list: String)(df: DataFrame): DataFrame = {
    df.withWatermark("t", "3 seconds").createOrReplaceTempView("readings")
    spark.sql(s"SELECT i, k, d, $list FROM readings")
  }

  private val byKey = "PARTITION BY k ORDER BY t"

  private final class Started(query: DataFrame => DataFrame) {
    val source = new Source(Readings)

    /** Runs the query of this class until its next micro-batch fails. */
    def kill(checkpoint: Path): Unit = {
      val killed = new Answers(checkpoint)
        .start(query(source.rows), Trigger.AvailableNow(), fails = _ => true)
      intercept[StreamingQueryException](killed.awaitTermination()): Unit
    }

    /** Runs the query of this class, and drops the results. */
    def begin(checkpoint: Path): Unit = {
      val results = run(checkpoint)(query)
      assert(results.forall(_ != null))
      ()
    }

    def run(checkpoint: Path, isLast: Boolean = false)(
        query: DataFrame => DataFrame
    ): Seq[Row] = {
      val answers = new Answers(checkpoint)
      withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
        answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      answers.next()
    }
  }

  private def change(
      query: DataFrame,
      checkpoint: Path,
      incomplete: Boolean
  ): (Path, Seq[Row]) = {
    val to = temporary().resolve("changed")
    val compared = Muntin.compare(query, checkpoint.toString).collect().toSeq
    val changes =
      Muntin.change(query, checkpoint.toString, to.toString, incomplete).collect().toSeq
    assert(changes === compared)
    (to, changes)
  }

  /**
   * Returns the changes, and the later results of the stream, by `i`.
   *
   * @param isKilled
   *   whether a micro-batch of the query before the change is planned, and not committed
   * @param partitions
   *   the number of partitions after another part of the rows
   */
  private def run(
      before: DataFrame => DataFrame,
      after: DataFrame => DataFrame,
      rows: Seq[Row],
      incomplete: Boolean = false,
      isKilled: Boolean = false,
      partitions: Option[Int] = None
  ): (Seq[Row], Map[Any, Row]) = {
    val parts = divided(rows)
    val started = new Started(before)
    val checkpoint = temporary()
    started.source.add(parts(0))
    started.begin(checkpoint)
    if (isKilled) {
      started.source.add(parts(1))
      started.kill(checkpoint)
    }
    val old = files(checkpoint)
    val (changed, changes) = change(after(started.source.rows), checkpoint, incomplete)
    assert(files(checkpoint) === old)
    if (!isKilled) started.source.add(parts(1))
    val second = started.run(changed)(after)
    val last = partitions.fold(changed) { n =>
      val to = temporary().resolve("repartitioned")
      Muntin.repartition(spark, changed.toString, n, to.toString): Unit
      to
    }
    started.source.add(parts(2))
    val third = started.run(last, isLast = true)(after)
    val results = second ++ third
    val byNumber = results.map(row => row.get(0) -> row).toMap
    assert(byNumber.size === results.size)
    assert(byNumber.size >= parts(1).size + parts(2).size)
    (changes, byNumber)
  }

  private def actions(changes: Seq[Row]): Seq[String] = changes.map(_.getAs[String]("action"))

  /** Checks a change after which each function continues. */
  private def check(before: String, after: String, rows: Seq[Row] = rowsWith(step = 1)): Unit = {
    val (changes, later) = run(selected(before), selected(after), rows)
    assert(actions(changes).toSet.subsetOf(Set("continues", "is dropped")), changes.mkString("\n"))
    val wanted =
      selected(after)(table(Readings, rows)).collect().map(row => row.get(0) -> row).toMap
    val ids = later.keys.toSeq
    assert(shown(ids.map(later)) === shown(ids.map(wanted)))
    ()
  }

  private val sum3 = s"sum(i) OVER ($byKey ROWS 3 PRECEDING) AS s"
  private val max3 = s"max(i) OVER ($byKey ROWS 3 PRECEDING) AS m"
  private val range = s"avg(d) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING) AS a"
  private val running = s"sum(d) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS u"
  private val even = s"sliding(sum(i), 4, i % 2 = 0) OVER ($byKey) AS e"
  private val odd = s"sliding(max(i), 3, i % 2 = 1) OVER ($byKey) AS o"
  private val since = s"since(sum(i), i % 9 = 0) OVER ($byKey) AS c"
  private val session = s"session(sum(d), INTERVAL 8 SECONDS) OVER ($byKey) AS f"
  private val lead = s"lead(i, 2) OVER ($byKey) AS l"
  private val ranks = s"rank() OVER ($byKey) AS r, dense_rank() OVER ($byKey) AS q"

  private val complete: Seq[(String, String, String)] = Seq(
    ("a function is added to a frame", sum3, s"$sum3, $max3"),
    ("a function is removed", s"$sum3, $max3", max3),
    ("functions change places", s"$sum3, $range, $running", s"$running, $range, $sum3"),
    ("narrower ROWS", s"sum(i) OVER ($byKey ROWS 7 PRECEDING) AS s", s"$sum3, $max3"),
    (
      "narrower RANGE",
      range,
      s"sum(d) OVER ($byKey RANGE INTERVAL 4 SECONDS PRECEDING) AS s, " +
        s"count(*) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING) AS n"
    ),
    (
      "running totals continue beside others",
      s"$running, $max3",
      s"$sum3, $running, count(*) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS n, " +
        s"row_number() OVER ($byKey) AS p"
    ),
    (
      "running totals; others are removed",
      s"delta(i) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS x, " +
        s"pct_change(d) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS y, $running",
      s"pct_change(d) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS y, " +
        s"delta(i) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS x"
    ),
    ("conditions of sliding", s"$odd, $even", s"$even, $odd"),
    ("a condition of sliding is removed", s"$odd, $even", even),
    ("since and session", s"$since, $sum3, $session", s"$session, $since"),
    ("frames that look ahead", s"$lead, $sum3", s"$lead, $max3, $sum3"),
    ("a frame that looks ahead is added", s"$range, $sum3", s"$sum3, $lead"),
    ("a column is removed", s"t, i % 5 AS j, $sum3", sum3),
    (
      "expressions",
      s"sum(i * 2) OVER ($byKey ROWS 3 PRECEDING) AS s, $max3",
      s"max(i % 5) OVER ($byKey ROWS 2 PRECEDING) AS m, " +
        s"sum(i * 2) OVER ($byKey ROWS 3 PRECEDING) AS s"
    ),
    (
      "arguments that are cast",
      s"corr(d, i) OVER ($byKey ROWS 3 PRECEDING) AS c, " +
        s"skewness(i) OVER ($byKey ROWS 3 PRECEDING) AS z, $sum3",
      s"$max3, skewness(i) OVER ($byKey ROWS 3 PRECEDING) AS z, " +
        s"covar_pop(i, d) OVER ($byKey ROWS 2 PRECEDING) AS c"
    ),
    (
      "distinct values and percentiles of rows that are kept",
      s"$sum3, min(d) OVER ($byKey ROWS 3 PRECEDING) AS m",
      s"count(DISTINCT i % 3) OVER ($byKey ROWS 3 PRECEDING) AS n, " +
        s"percentile(d, 0.5) OVER ($byKey ROWS 3 PRECEDING) AS p, " +
        s"collect_list(i) OVER ($byKey ROWS 2 PRECEDING) AS x"
    )
  )

  for ((name, before, after) <- complete)
    sampledTest(s"in the order of time: $name", most = 8)(check(before, after))

  for ((name, before, after) <- complete if !name.contains("ahead"))
    sampledTest(s"in the order group: $name", most = 8) {
      withConf(MuntinConf.StreamOrder.key -> "group")(check(before, after))
    }

  sampledTest("rows of equal times: ranks continue, and RANGE frames narrow", most = 2) {
    val wide = s"avg(d) OVER ($byKey RANGE INTERVAL 20 SECONDS PRECEDING) AS a"
    check(s"$ranks, $wide", s"$range, $ranks", rowsWith(step = 0))
    check(wide, s"$range, $wide", rowsWith(step = 0))
  }

  test("nothing changes") {
    check(s"$sum3, $running", s"$sum3, $running")
  }

  test("a query that starts with spark.muntin.stream.change") {
    val rows = rowsWith(step = 1)
    val (before, after) = (selected(s"$sum3, $running") _, selected(s"$running, $max3") _)
    val started = new Started(before)
    val checkpoint = temporary().resolve("checkpoint")
    started.source.add(rows.take(100))
    started.begin(checkpoint)
    val old = files(checkpoint).values.toSet
    started.source.add(rows.drop(100))
    intercept[AnalysisException](started.run(checkpoint)(after))
    val wider = selected(s"sum(i) OVER ($byKey ROWS 9 PRECEDING) AS s, $running") _
    withConf(MuntinConf.StreamChange.key -> "continue") {
      val failure = intercept[AnalysisException](started.run(checkpoint)(wider))
      assert(failure.getCondition === "MUNTIN_INCOMPLETE_CHANGE")
      assert(files(checkpoint).values.toSet === old)
      val later = started.run(checkpoint, isLast = true)(after)
      val wanted = after(table(Readings, rows)).collect().toSeq
        .filter(row => later.exists(_.get(0) == row.get(0)))
      assert(later.size > 100)
      assert(shown(later) === shown(wanted))
    }
    val moved = Files.list(checkpoint.getParent).toScala(Seq).filter(_ != checkpoint)
    assert(moved.map(_.getFileName.toString) === Seq("checkpoint.before-batch-2"))
    assert(files(moved.head).values.map(_._2).toSet === old.map(_._2))
  }

  private def resultsOf(kind: Kind, isChanged: Boolean): Seq[Seq[Row]] =
    withConf(kind.settings.toSeq: _*) {
      val source = new Source(schema)
      var checkpoint = temporary()
      parts.zipWithIndex.map { case (rows, i) =>
        val query = kind.query(source.rows)
        if (isChanged && i > 0) {
          val (changed, changes) = change(query, checkpoint, incomplete = false)
          assert(actions(changes).toSet === Set("continues"))
          checkpoint = changed
        }
        source.add(rows)
        val answers = new Answers(checkpoint, kind.outputMode)
        val drains = i == parts.size - 1 && kind.outputMode != "update"
        withConf(MuntinConf.StreamDrain.key -> drains.toString) {
          answers.start(query, Trigger.AvailableNow()).awaitTermination()
        }
        answers.next()
      }
    }

  for (kind <- all) sampledTest(s"${kind.name}: continues if nothing changes", most = 16) {
    assert(resultsOf(kind, isChanged = true).map(shown) ===
      resultsOf(kind, isChanged = false).map(shown))
  }

  // The answer that a sink keeps for each row: the last.
  private def lastByNumber(results: Seq[Row]): Seq[String] =
    shown(results.map(row => row.get(0) -> row).toMap.values.toSeq)

  private def checkModes(before: String, after: String, modes: (String, String)): Unit = {
    val rows = rowsWith(step = 1)
    val source = new Source(Readings)
    var checkpoint = temporary()
    def run(list: String, mode: String, isLast: Boolean): Seq[Row] = {
      val answers = new Answers(checkpoint, mode)
      withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
        answers.start(selected(list)(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      answers.next()
    }
    val parts = divided(rows)
    source.add(parts(0))
    val first = run(before, modes._1, isLast = false)
    val to = temporary().resolve("changed")
    val changes = Muntin.change(
      selected(after)(source.rows),
      checkpoint.toString,
      to.toString,
      outputMode = Some(modes._2)
    ).collect().toSeq
    assert(actions(changes).toSet.subsetOf(Set("continues", "is dropped")), changes)
    checkpoint = to
    source.add(parts(1))
    val second = run(after, modes._2, isLast = false)
    source.add(parts(2))
    val all = second ++ run(after, modes._2, isLast = true)
    val wanted = selected(after)(table(Readings, rows)).collect().toSeq
    if (before == after) assert(lastByNumber(first ++ all) === shown(wanted))
    else {
      val ids = all.map(_.get(0)).toSet
      assert(ids.size > 150)
      assert(lastByNumber(all) === shown(wanted.filter(row => ids(row.get(0)))))
    }
    assert(modes._2 == "update" || all.map(_.get(0)).distinct.size == all.size)
    ()
  }

  private val otherModes = Seq("append" -> "update", "update" -> "append", "update" -> "update")

  for (modes <- otherModes) sampledTest(
    s"from output mode ${modes._1} to ${modes._2}",
    most = 3
  ) {
    for (
      (before, after) <- Seq(
        (s"$sum3, $range", s"$sum3, $range"),
        (sum3, s"$sum3, $max3"),
        (s"$lead, $sum3, $max3", s"$max3, $lead")
      )
    )
      checkModes(before, after, modes)
  }

  for (kind <- all.filter(k => k.outputMode == "append")) sampledTest(
    s"${kind.name}: to output mode update and back",
    most = 16
  ) {
    withConf(kind.settings.toSeq: _*) {
      def run(isChanged: Boolean): Seq[Row] = {
        val source = new Source(schema)
        var checkpoint = temporary()
        val results = parts.zipWithIndex.map { case (rows, i) =>
          val query = kind.query(source.rows)
          if (isChanged && i > 0) Seq("update", "append").foreach { mode =>
            val to = temporary().resolve("changed")
            val changes =
              Muntin.change(query, checkpoint.toString, to.toString, outputMode = Some(mode))
            assert(actions(changes.collect().toSeq).toSet === Set("continues"))
            checkpoint = to
          }
          source.add(rows)
          val answers = new Answers(checkpoint)
          withConf(MuntinConf.StreamDrain.key -> (i == parts.size - 1).toString) {
            answers.start(query, Trigger.AvailableNow()).awaitTermination()
          }
          answers.next()
        }
        results.flatten
      }
      assert(shown(run(isChanged = true)) === shown(run(isChanged = false)))
    }
  }

  test("wider numbers: functions over rows that are kept continue") {
    val wider = "SELECT k, t, CAST(i AS BIGINT) AS i, d, CAST(i AS DECIMAL(20,2)) AS n FROM t"
    def query(types: String, list: String)(df: DataFrame): DataFrame = {
      df.withWatermark("t", "3 seconds").createOrReplaceTempView("t")
      spark.sql(types).createOrReplaceTempView("readings")
      spark.sql(s"SELECT i, k, d, $list FROM readings")
    }
    val narrow = "SELECT k, t, i, d, CAST(i AS DECIMAL(9,1)) AS n FROM t"
    val list = s"$sum3, max(n) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING) AS a, $even, " +
      s"lead(i, 2) OVER ($byKey) AS l"
    val rows = rowsWith(step = 1)
    val after = query(wider, list) _
    val (changes, later) = run(query(narrow, list), after, rows)
    assert(actions(changes).toSet === Set("continues"))
    val wanted = after(table(Readings, rows)).collect().map(row => row.get(0) -> row).toMap
    assert(shown(later.keys.toSeq.map(later)) === shown(later.keys.toSeq.map(wanted)))
    val total = s"sum(i) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS u"
    val started = new Started(query(narrow, total))
    val checkpoint = temporary()
    started.source.add(rows.take(20))
    started.begin(checkpoint)
    val compared =
      Muntin.compare(query(wider, total)(started.source.rows), checkpoint.toString).collect()
    assert(compared.map(r => (r.get(3), r.get(4))).toSeq ===
      Seq(("restarts", "`i` had another type")))
  }

  private def changesOf(before: String, after: String): Seq[Row] = {
    val started = new Started(selected(before))
    val checkpoint = temporary()
    started.source.add(rowsWith(step = 1).take(20))
    started.begin(checkpoint)
    Muntin.compare(selected(after)(started.source.rows), checkpoint.toString).collect().toSeq
  }

  private def lines(changes: Seq[Row]): Seq[String] =
    changes.map(r => s"${r.get(0)}: ${r.get(2)}: ${r.get(3)}, ${r.get(4)}")

  // Each reads both columns, so that the state has them.
  private val pool = Seq(
    s"sum(i) OVER ($byKey ROWS 3 PRECEDING)",
    s"max(d) OVER ($byKey ROWS 5 PRECEDING)",
    s"count(d) OVER ($byKey ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING)",
    s"avg(d) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING)",
    s"stddev(d) OVER ($byKey RANGE INTERVAL 4 SECONDS PRECEDING)",
    s"sum(d) OVER ($byKey ROWS UNBOUNDED PRECEDING)",
    s"min(i) OVER ($byKey ROWS UNBOUNDED PRECEDING)",
    s"count(*) OVER ($byKey ROWS UNBOUNDED PRECEDING)",
    s"row_number() OVER ($byKey)",
    s"dense_rank() OVER ($byKey)",
    s"lag(i, 2) OVER ($byKey)",
    s"lead(i) OVER ($byKey)",
    s"first_value(i) OVER ($byKey ROWS 6 PRECEDING)",
    s"sliding(sum(i), 4, i % 2 = 0) OVER ($byKey)",
    s"sliding(max(d), 3) OVER ($byKey)",
    s"since(sum(i), i % 9 = 0) OVER ($byKey)",
    s"session(sum(d), INTERVAL 8 SECONDS) OVER ($byKey)",
    s"ewm_mean(d, alpha => 0.5) OVER ($byKey)",
    s"percentile(d, 0.5) OVER ($byKey ROWS 5 PRECEDING)",
    s"count(DISTINCT i % 4) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING)"
  )

  for (n <- 1 to 12) sampledTest(s"random functions, $n", most = 12) {
    val random = new scala.util.Random(Cases.seed * 1000L + n)
    def some(count: Int) = random.shuffle(pool).take(count)
    val (before, others) = (some(1 + random.nextInt(6)), some(1 + random.nextInt(4)))
    val wanted = random.shuffle((before.filter(_ => random.nextInt(4) > 0) ++ others).distinct)
    def list(functions: Seq[String]) =
      functions.zipWithIndex.map { case (f, j) => s"$f AS c$j" }.mkString(", ")
    val compared = changesOf(list(before), list(wanted)).filter(!_.isNullAt(0))
    val after =
      wanted.zip(actions(compared)).collect { case (f, action) if action != "needs history" => f }
    val rows = rowsWith(step = 1)
    val (changes, later) = run(
      selected(list(before)),
      selected(list(after)),
      rows,
      incomplete = true,
      isKilled = random.nextBoolean(),
      partitions = Some(3).filter(_ => random.nextBoolean())
    )
    val found = actions(changes.filter(!_.isNullAt(0)))
    assert(found.size === after.size)
    val same = Seq(0, 1, 2) ++ found.indices.filter(found(_) == "continues").map(_ + 3)
    val whole =
      selected(list(after))(table(Readings, rows)).collect().map(row => row.get(0) -> row).toMap
    def of(found: Map[Any, Row]) =
      shown(later.keys.toSeq.map(i => Row.fromSeq(same.map(found(i).get(_)))))
    assert(of(later) === of(whole), s"$before\n$after\n$found")
  }

  test("a running total that restarts: with the rows that the checkpoint has") {
    val rows = rowsWith(step = 1)
    val total = s"sum(i) OVER ($byKey ROWS UNBOUNDED PRECEDING) AS u"
    withConf(MuntinConf.StreamOrder.key -> "group") {
      val (changes, later) =
        run(selected(sum3), selected(s"$sum3, $total"), rows, incomplete = true)
      assert(actions(changes) === Seq("continues", "restarts"))
      for ((key, ofKey) <- rows.groupBy(_.getString(0))) {
        val kept = ofKey.takeWhile(_.getInt(2) < 90).takeRight(4)
        val added = ofKey.filter(_.getInt(2) >= 90)
        val totals = (kept ++ added).map(_.getInt(2).toLong).scanLeft(0L)(_ + _).tail
        assert(added.map(row => later(row.getInt(2)).getLong(4)) === totals.drop(kept.size), key)
      }
    }
  }

  test("a column that rows of the checkpoint lack") {
    val rows = rowsWith(step = 1)
    val query = (list: String) =>
      (df: DataFrame) => {
        df.withWatermark("t", "3 seconds").createOrReplaceTempView("readings")
        spark.sql(s"SELECT i, $list FROM readings")
      }
    val mean = s"avg(d) OVER ($byKey ROWS 3 PRECEDING) AS a"
    val (changes, later) = run(query(sum3), query(s"$sum3, $mean, d"), rows, incomplete = true)
    assert(lines(changes).map(_.replaceAll("OVER \\(.*\\)", "OVER …")) === Seq(
      "0: sum(i) OVER …: continues, null",
      "0: avg(d) OVER …: restarts, rows in the checkpoint lack `d`",
      "0: d: restarts, it is null in rows of the checkpoint"
    ))
    val known = rows.map(row => row.getInt(2) -> row.get(3)).toMap
    assert(later.forall { case (i, row) =>
      row.isNullAt(3) || row.get(3) == known(i.asInstanceOf[Int])
    })
    val ofLast = later.filter(_._1.asInstanceOf[Int] >= 90)
    assert(ofLast.forall { case (i, row) => row.get(3) == known(i.asInstanceOf[Int]) })
    val wanted =
      query(s"$sum3")(table(Readings, rows)).collect().map(row => row.get(0) -> row.get(1)).toMap
    assert(later.forall { case (i, row) => row.get(1) == wanted(i) })
    failsToCopy(query(sum3), query(s"$sum3, coalesce(d, 0D) AS e"), "MUNTIN_CHANGE_NEEDS_HISTORY")
  }

  private def failsToCopy(
      before: DataFrame => DataFrame,
      after: DataFrame => DataFrame,
      condition: String
  ): Unit = {
    val started = new Started(before)
    val (checkpoint, to) = (temporary(), temporary().resolve("to"))
    started.source.add(rowsWith(step = 1).take(30))
    started.begin(checkpoint)
    val failure = intercept[AnalysisException] {
      Muntin.change(after(started.source.rows), checkpoint.toString, to.toString, incomplete = true)
    }
    assert(failure.getCondition === condition)
    assert(!Files.exists(to))
    ()
  }

  test("windows are added and removed: the others continue") {
    def query(windows: Seq[String])(df: DataFrame): DataFrame =
      windows.zipWithIndex.foldLeft(df.withWatermark("t", "3 seconds")) {
        case (rows, (window, j)) =>
          rows.createOrReplaceTempView("readings")
          spark.sql(s"SELECT *, $window AS w$j FROM readings")
      }.selectExpr(Seq("i", "k", "d") ++ windows.indices.map(j => s"w$j"): _*)
    val byParity = "sum(i) OVER (PARTITION BY i % 2 ORDER BY t RANGE INTERVAL 9 SECONDS PRECEDING)"
    val ofKey = s"avg(d) OVER ($byKey RANGE INTERVAL 9 SECONDS PRECEDING)"
    val byThree = "max(i) OVER (PARTITION BY i % 3 ORDER BY t ROWS 3 PRECEDING)"
    val rows = rowsWith(step = 1)
    for {
      ((before, after, same, found), i) <- Seq(
        (
          Seq(byParity),
          Seq(byParity, byThree),
          Seq(0),
          "0 restarts, 1 continues"
        ),
        (
          Seq(byThree, byParity),
          Seq(byParity, byThree),
          Seq(1),
          "0 continues, 0 restarts, 1 restarts, null is dropped"
        ),
        (Seq(ofKey, byThree), Seq(ofKey), Seq(0), "0 continues, null is dropped"),
        (Seq(ofKey), Seq(byParity, ofKey), Seq(1), "0 continues, 0 restarts, 1 restarts"),
        (Seq(ofKey, byThree), Seq(byThree), Nil, "0 restarts, null is dropped")
      ).zipWithIndex
      if Cases.selects(i, 2)
    } {
      val (changes, later) = run(query(before), query(after), rows, incomplete = true)
      val whole = query(after)(table(Readings, rows)).collect().map(row => row.get(0) -> row).toMap
      def of(found: Map[Any, Row]) =
        shown(later.keys.toSeq.map(i => Row(i, same.map(j => found(i).get(3 + j)))))
      assert(of(later) === of(whole), lines(changes).mkString("\n"))
      assert(changes.map(r => s"${r.get(0)} ${r.get(3)}").mkString(", ") === found)
    }
  }

  test("compare") {
    val wider = s"sum(d) OVER ($byKey RANGE INTERVAL 9 HOURS PRECEDING) AS w"
    val changes = lines(
      changesOf(
        s"$sum3, $range",
        s"$running, $max3, $ranks, $wider, $range, count(*) OVER ($byKey ROWS 9 PRECEDING) AS n, " +
          s"$session, t"
      )
    )
    def over(frame: String) = s"OVER (PARTITION BY k ORDER BY t ASC NULLS FIRST $frame)"
    def rowsFrom(first: String) = over(s"ROWS BETWEEN $first PRECEDING AND CURRENT ROW")
    def rangeFrom(first: String) =
      over(s"RANGE BETWEEN INTERVAL $first PRECEDING AND CURRENT ROW")
    val growing = rowsFrom("UNBOUNDED")
    assert(changes === Seq(
      s"0: sum(d) $growing: restarts, the checkpoint has no such window",
      s"0: max(i) ${rowsFrom("3")}: continues, null",
      s"0: RANK() $growing: needs history, it numbers rows from the first row on",
      s"0: DENSE_RANK() $growing: needs history, it numbers rows from the first row on",
      s"0: sum(d) ${rangeFrom("'09' HOUR")}: restarts, the checkpoint may lack rows of its frame",
      s"0: avg(d) ${rangeFrom("'09' SECOND")}: continues, null",
      s"0: count(1) ${rowsFrom("9")}: restarts, the checkpoint may lack rows of its frame",
      s"0: session(sum(d), INTERVAL '08' SECOND) $growing: restarts, the checkpoint has no such window",
      s"null: sum(i) ${rowsFrom("3")}: is dropped, null"
    ))
  }
}

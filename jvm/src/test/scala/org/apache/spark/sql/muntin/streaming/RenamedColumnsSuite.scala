package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import io.muntin.Muntin
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/** Changed queries whose columns have other names: the results equal a batch over all rows. */
final class RenamedColumnsSuite extends StreamSession {
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  private val parts: Seq[Seq[Row]] = Seq.tabulate(90) { i =>
    Row(s"k${i % 3}", at(i.toLong), i, if (i % 7 == 3) null else i / 4.0)
  }.grouped(30).toSeq

  private type Query = DataFrame => DataFrame

  private def sql(text: String)(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("renamed_rows")
    spark.sql(text.replace("FROM rows", "FROM renamed_rows"))
  }

  private def marked(rows: DataFrame): DataFrame = rows.withWatermark("t", "3 seconds")

  private def run(rows: DataFrame, query: Query, checkpoint: Path, isLast: Boolean): Seq[Row] = {
    val answers = new Answers(checkpoint)
    withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
      answers.start(query(rows), Trigger.AvailableNow()).awaitTermination()
    }
    answers.next()
  }

  /** Returns the changes, and the results of both queries. */
  private def changed(before: Query, after: Query, incomplete: Boolean = false)(
      renamed: (String, String)*
  ): (Seq[Row], Seq[Row]) = {
    val source = new Source(Readings)
    val (checkpoint, to) = (temporary(), temporary().resolve("copy"))
    source.add(parts.head)
    val early = run(marked(source.rows), before, checkpoint, isLast = false)
    val names = renamed.toMap
    val changes =
      Muntin.compare(after(marked(source.rows)), checkpoint.toString, renamed = names)
        .collect().toSeq
    assert(
      Muntin.change(
        after(marked(source.rows)),
        checkpoint.toString,
        to.toString,
        incomplete,
        renamed = names
      ).collect().toSeq === changes
    )
    source.add(parts(1))
    val later = run(marked(source.rows), after, to, isLast = false)
    source.add(parts(2))
    (changes, early ++ later ++ run(marked(source.rows), after, to, isLast = true))
  }

  private def check(before: Query, after: Query)(renamed: (String, String)*): Seq[Row] = {
    val (changes, results) = changed(before, after)(renamed: _*)
    assert(changes.map(_.getAs[String]("action")).distinct === Seq("continues"))
    val batch = after(table(Readings, parts.flatten)).collect().toSeq
    assert(shown(results) === shown(batch))
    changes
  }

  private val window = "PARTITION BY k ORDER BY t"
  private val functions =
    s"sum(d) OVER ($window ROWS 5 PRECEDING) AS a, avg(d + i) OVER ($window ROWS 3 PRECEDING) AS " +
      s"b, count(d) OVER ($window) AS c, lead(i) OVER ($window) AS l"

  private def inNewNames(text: String): String = text.replaceAll("\\bk\\b", "device")
    .replaceAll("\\bt\\b", "at").replaceAll("\\bd\\b", "level").replaceAll("\\bi\\b", "number")

  private def renamedRows(rows: DataFrame): DataFrame = rows
    .selectExpr("k AS device", "t AS at", "i AS number", "d AS level")

  private val all = Seq("k" -> "device", "t" -> "at", "i" -> "number", "d" -> "level")

  test("all columns of an OVER clause have other names") {
    val before = sql(s"SELECT i, k, $functions FROM rows")(_)
    val after = (rows: DataFrame) =>
      sql(s"SELECT number, device, ${inNewNames(functions)} FROM rows")(renamedRows(rows))
    val changes = check(before, after)(all: _*)
    val names = changes.map(_.getAs[String]("function"))
    assert(names.forall(n => n.contains("level") || n.contains("number")), names)
    assert(changes.map(_.getAs[String]("window")).forall(_.contains("device")))
  }

  sampledTest("another function is added, with the other names", most = 2) {
    val before = sql(s"SELECT i, $functions FROM rows")(_)
    val more = s"$functions, max(d) OVER ($window ROWS 2 PRECEDING) AS m"
    val after = (rows: DataFrame) =>
      sql(s"SELECT number, ${inNewNames(more)} FROM rows")(renamedRows(rows))
    val (changes, results) = changed(before, after)(all: _*)
    assert(changes.map(_.getAs[String]("action")).distinct === Seq("continues"))
    val batch = after(table(Readings, parts.flatten)).collect().toSeq
    val later = results.filter(_.size == 6)
    assert(shown(later).diff(shown(batch)) === Nil)
    assert(later.size >= 60)
  }

  test("two columns exchange their names") {
    def of(first: String, second: String) = sql(
      s"SELECT i, sum($first) OVER ($window ROWS 4 PRECEDING) AS a, max($second) OVER " +
        s"($window ROWS 4 PRECEDING) AS b FROM rows"
    )(_)
    val before = (rows: DataFrame) => of("d", "e")(rows.selectExpr("*", "d * 2 - i AS e"))
    val after = (rows: DataFrame) =>
      of("e", "d")(rows.selectExpr("k", "t", "i", "d AS e", "d * 2 - i AS d"))
    check(before, after)("d" -> "e", "e" -> "d"): Unit
  }

  test("a new column has a former name: it is another column") {
    val before = sql(s"SELECT i, sum(d) OVER ($window ROWS 4 PRECEDING) AS a FROM rows")(_)
    val after = (rows: DataFrame) =>
      sql(
        s"SELECT i, sum(level) OVER ($window ROWS 4 PRECEDING) AS a, max(d) OVER " +
          s"($window ROWS 4 PRECEDING) AS b FROM rows"
      )(rows.selectExpr("k", "t", "i", "d AS level", "i * 10.0D AS d"))
    val (changes, _) = changed(before, after, incomplete = true)("d" -> "level")
    val actions = changes.map(r => r.getAs[String]("function") -> r.getAs[String]("action"))
    assert(actions.find(_._1.startsWith("sum(level)")).map(_._2) === Some("continues"))
    assert(actions.find(_._1.startsWith("max(d)")).map(_._2) === Some("restarts"))
    assert(changes.flatMap(r => Option(r.getAs[String]("reason"))).forall(!_.contains("(now)")))
    assert(actions.contains("d" -> "restarts"))
  }

  sampledTest("windows of groups, running totals and windows over windows", most = 2) {
    val queries = Seq(
      "SELECT k, tumble AS w, sum(d) AS s, min(i) AS m FROM rows GROUP BY k, tumble(t, '10 seconds')",
      s"SELECT i, sum(d) OVER ($window ROWS UNBOUNDED PRECEDING) AS s FROM rows",
      s"SELECT i, a, max(a) OVER ($window ROWS 3 PRECEDING) AS b FROM (SELECT k, t, i, sum(d) " +
        s"OVER (PARTITION BY i % 4 ORDER BY t ROWS 3 PRECEDING) AS a FROM rows)"
    )
    queries.foreach { query =>
      withClue(query) {
        val after = (rows: DataFrame) => sql(inNewNames(query))(renamedRows(rows))
        check(sql(query)(_), after)(all: _*): Unit
      }
    }
  }
}

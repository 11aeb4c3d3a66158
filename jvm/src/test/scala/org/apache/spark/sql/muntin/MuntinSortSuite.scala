package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.types._

/**
 * Muntin's sort emits rows in the order of Spark's sort, and ties in the order of their arrival.
 */
class MuntinSortSuite extends MuntinSession {
  // The sort's input arrives in stripes, except for computed keys; other suites sort rows.
  override protected def settings: Map[String, String] =
    Map(MuntinConf.ExchangeEnabled.key -> "true")

  private val sorted = RandomTable.columns.filter(_.dataType match {
    case StringType | BinaryType => true
    case _: StringType | _: ArrayType | _: StructType => false
    case _ => true
  }).map(_.name)

  private val orderable = RandomTable.columns.map(_.name) ++ Seq("k", "id")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 400, seed = 11)
    RandomTable.create(spark, "few", rows = 25, seed = 12)
  }

  private def query(table: String, partition: Seq[String], order: Seq[String]): String = {
    val by = if (partition.isEmpty) "" else partition.mkString("PARTITION BY ", ", ", "")
    s"SELECT id, count(*) OVER ($by ORDER BY ${order.mkString(", ")} ROWS 3 PRECEDING) FROM $table"
  }

  private def ids(made: DataFrame): Seq[Int] = made.collect().map(_.getInt(0)).toSeq

  private def sorts(made: DataFrame): (Int, Int) =
    (nodes(made) { case s: MuntinSortExec => s }.size, nodes(made) { case s: SortExec => s }.size)

  private def check(query: String, spillRows: Int*): Unit = {
    val expected = withConf(
      MuntinConf.SortEnabled.key -> "false",
      MuntinConf.ExchangeEnabled.key -> "false"
    ) {
      val made = spark.sql(query)
      val rows = ids(made)
      assert(sorts(made) === ((0, 1)))
      rows
    }
    (Int.MaxValue +: spillRows).foreach { rows =>
      withConf(MuntinConf.SortSpillRows.key -> rows.toString) {
        val made = spark.sql(query)
        assert(ids(made) === expected, s"$query, spilled after $rows")
        assert(sorts(made) === ((1, 0)))
        val spilled = nodes(made) { case s: MuntinSortExec => s.metrics("spillSize").value }
        assert(spilled.sum > 0 === (rows < expected.size), s"$query, spilled after $rows")
      }
    }
  }

  private val directions = Seq("", " ASC", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST")

  for (column <- sorted)
    sampledTest(s"ORDER BY one column, in each direction: $column", most = 3) {
      directions.foreach(d => check(query("t", Seq("k"), Seq(column + d))))
      check(query("t", Nil, Seq(column)), 9)
    }

  for (column <- orderable)
    sampledTest(s"PARTITION BY one column: $column", most = 3) {
      check(query("t", Seq(column), Seq("i8")), 50)
    }

  for (seed <- Repeats.seeds(20))
    sampledTest(s"random keys, $seed", most = 2) {
      val random = new Random(seed)
      def some(from: Seq[String], most: Int) = random.shuffle(from).take(random.nextInt(most + 1))
      val partition = some(orderable, 3)
      val order = (some(sorted, 3) :+ "i16").distinct
        .map(c => if (random.nextInt(4) == 0) s"abs(hash($c)) % 5" else c)
        .map(_ + directions(random.nextInt(directions.size)))
      check(query(if (seed % 3 == 0) "few" else "t", partition, order), 1 + random.nextInt(60))
    }

  sampledTest("strings with a common prefix, bytes and decimals of any size, in every direction") {
    val texts =
      Seq("''", "'a'", "'a\\u0000'", "'a\\u0000b'", "'prefix of eight'", "'prefix of eigh'") ++
        Seq("'prefix o'", "'prefix\\u00e9'", "'\\ud834\\udd1e and more of it'", "'\\uffff'", "NULL")
    val digits = Seq("0", "1", "-1", "255", "256", "-256", "18446744073709551615") ++
      Seq("18446744073709551616", "-18446744073709551617", "9" * 38, "-" + "9" * 38) ++
      Seq("9" * 37 + "8", "-" + "9" * 37 + "8", "4722366482869645213696", "4722366482869645213695")
    def of(values: Seq[String]) =
      s"element_at(array(${values.mkString(", ")}), CAST(pmod(hash(id, ${values.size}), ${values.size}) AS INT) + 1)"
    spark.sql(
      s"""SELECT id, id % 2 AS k, pmod(hash(id), 3) AS n, ${of(texts)} AS s,
         |CAST(${of(texts)} AS BINARY) AS b,
         |CAST(${of(digits.map(d => s"'$d'"))} AS DECIMAL(38, 0)) AS d
         |FROM (SELECT CAST(id AS INT) AS id FROM range(0, 600, 1, 3))""".stripMargin
    ).createOrReplaceTempView("alike")
    for (column <- Seq("s", "b", "d"); direction <- directions) {
      check(query("alike", Seq("k"), Seq(column + direction, "id")), 70)
      check(query("alike", Seq("k"), Seq("n DESC", column + direction, "id DESC")), 200)
      check(query("alike", Nil, Seq(s"concat('', $column)$direction", "id")), 99)
    }
    check(query("alike", Seq("s"), Seq("b DESC", "d", "s", "id")), 150)
  }

  test("Spark sorts by other types, and sorts everything if the setting is off") {
    for (order <- Seq("lc DESC", "st", "i8, arr")) {
      val made = spark.sql(query("t", Seq("k"), Seq(order)))
      ids(made): Unit
      assert(sorts(made) === ((0, 1)), order)
    }
  }

  test("an existing order is used: no sort") {
    val made = spark.sql(
      "SELECT id, sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) FROM range(0, 100, 1, 1)"
    )
    assert(made.collect().length === 100)
    assert(sorts(made) === ((0, 0)))
  }

  test("windows of groups, and both sides of window_by, use the sort as well") {
    val ticks = spark.sql("SELECT k, count(*) FROM t GROUP BY k, field_window(id, size => 10)")
    ticks.collect(): Unit
    assert(sorts(ticks)._2 === 0)
    val spans = spark.sql(
      "SELECT k, count(*) FROM t WHERE ts IS NOT NULL GROUP BY k, validity(ts, ts + INTERVAL 1 DAY)"
    )
    spans.collect(): Unit
    assert(sorts(spans) === ((1, 0)))
    val around = spark.sql(
      "SELECT * FROM window_by(TABLE(SELECT k, i32 FROM t), TABLE(SELECT k AS k, id AS at FROM few), " +
        "'count(*) AS n', 'i32', 'at - 3', 'at', on => 'k')"
    )
    around.collect(): Unit
    assert(sorts(around) === ((2, 0)))
  }

  test("Spark's own operator reads the same sort") {
    val made = spark.sql(
      "SELECT id, sum(i8) OVER w, sparks_own(i8) OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY id)"
    )
    made.collect(): Unit
    assert(sorts(made) === ((1, 0)))
    assert(sparkNodes(made).size === 1)
  }

  test("equal rows without adaptive execution, and over several tasks") {
    val sql = "SELECT id, sum(i32) OVER (PARTITION BY i8, s ORDER BY ts, id) FROM t"
    val expected = withConf(MuntinConf.SortEnabled.key -> "false")(spark.sql(sql).collect().toSet)
    for (adaptive <- Seq("true", "false"))
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.shuffle.partitions" -> "5") {
        val made = spark.sql(sql)
        assert(made.collect().toSet === expected)
        assert(sorts(made) === ((1, 0)))
      }
  }

  for {
    key <- Seq("id % 500", "concat('key ', id % 500)", "nullif(id % 500, 7)")
    spillRows <- Seq(Int.MaxValue, 3000)
  }
    test(s"rows of a group are contiguous, groups in any order: $key, $spillRows in memory") {
      val rows = s"SELECT id, $key AS k, pmod(hash(id), 300) AS v FROM range(0, 20000, 1, 1)"
      spark.sql(rows).createOrReplaceTempView("many")
      val sort = nodes(spark.sql(
        "SELECT id, k, count(*) OVER (PARTITION BY k ORDER BY v ROWS 3 PRECEDING) FROM many"
      )) { case s: MuntinSortExec => s }.head
      val fields = Seq("k", "v", "id").map(n => sort.output.indexWhere(_.name == n))
      def sorted(sort: MuntinSortExec): Seq[(String, Int, Long)] = {
        val value = sort.output(fields(0)).dataType
        val found =
          withConf(MuntinConf.SortSpillRows.key -> spillRows.toString)(sort.executeCollect())
        found.map { r =>
          (String.valueOf(r.get(fields(0), value)), r.getInt(fields(1)), r.getLong(fields(2)))
        }.toSeq
      }
      val inOrder = sorted(sort)
      val inAnyOrder = sorted(sort.copy(inAnyOrder = true))
      val keys = inOrder.map(_._1).distinct
      val found = inAnyOrder.map(_._1)
      val starts = found.indices.filter(i => i == 0 || found(i) != found(i - 1)).map(found)
      assert(starts.sorted === keys.sorted)
      assert(starts !== keys)
      assert(inAnyOrder.groupBy(_._1) === inOrder.groupBy(_._1))
    }
}

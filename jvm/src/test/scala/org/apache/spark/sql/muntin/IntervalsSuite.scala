package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.aggregate.{ObjectHashAggregateExec, SortAggregateExec}
import org.apache.spark.sql.muntin.execution.groups.IntervalRows
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** intervals equals validity, in one value. */
class IntervalsSuite extends AggregatesOfRows {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 150, seed = 31)
    registerFunctions()
    spark.sql(
      "CREATE TEMP VIEW stays AS SELECT * FROM VALUES ('a', 0, 10, 1), ('a', 5, 15, 2), " +
        "('a', 20, 30, 4), ('b', 3, NULL, 8), ('b', 3, 3, 16) AS stays(k, s, e, x)"
    ): Unit
  }

  private def value(query: String): Any = spark.sql(query).head().get(0)

  private def intervals(call: String, from: String = "stays WHERE k = 'a'"): Seq[Row] =
    spark.sql(s"SELECT intervals($call, s, e) FROM $from").head().getSeq[Row](0)

  test("one element for each interval") {
    assert(intervals("count(*)") === Seq(
      Row(0, 5, 1L),
      Row(5, 10, 2L),
      Row(10, 15, 1L),
      Row(20, 30, 1L)
    ))
    assert(intervals("sum(x)", "stays WHERE k = 'b'") === Seq(Row(3, null, 8L)))
    assert(intervals("count(*)", "stays WHERE k = 'c'") === Nil)
    assert(intervals("count(*)", "stays WHERE x = 16") === Nil)
  }

  test("the name of the column") {
    def name(call: String) = spark.sql(s"SELECT intervals($call, s, e) FROM stays").columns.head
    assert(name("sum(x)") === "intervals(sum(x), s, e)")
    assert(name("count(DISTINCT x)") === "intervals(count(DISTINCT x), s, e)")
    assert(name("count_if(x > 1)") === "intervals(count_if((x > 1)), s, e)")
    assert(name("median(x)") === "intervals(median(x), s, e)")
    assert(name("sum(x) FILTER (WHERE x > 1)") ===
      "intervals(sum(x) FILTER (WHERE (x > 1)), s, e)")
  }

  test("the type of the column") {
    val schema = spark.sql(
      "SELECT intervals(sum(x), s, e) AS i, intervals(count(*), s, e) AS n FROM stays"
    ).schema
    def array(value: DataType, nullable: Boolean) = ArrayType(
      new StructType().add("start", IntegerType, nullable = false).add("end", IntegerType)
        .add("value", value, nullable),
      containsNull = false
    )
    assert(schema("i").dataType === array(LongType, nullable = true))
    assert(schema("n").dataType === array(LongType, nullable = false))
  }

  // Unique starts, so that the order of the rows is fixed for any distribution.
  private val spans = "SELECT *, id AS a, id + 1 + (id * 37) % 90 AS b FROM t"

  for ((calls, i) <- ScatteredAggregatesSuite.functions.grouped(12).zipWithIndex)
    test(s"equals validity: functions $i, ${calls.head} …") {
      spark.sql(spans).repartition(5).createOrReplaceTempView("spans")
      val windows = spark.sql(
        s"SELECT k, validity.start, validity.end, ${calls.mkString(", ")} FROM spans " +
          "GROUP BY k, validity(a, b)"
      ).collect().map(row => (row.get(0), row.get(1), row.get(2)) -> row).toMap
      val together = spark.sql(
        s"SELECT k, ${calls.map(c => s"intervals($c, a, b)").mkString(", ")} FROM spans GROUP BY k"
      ).collect()
      assert(together.map(_.getSeq[Row](1).size).sum === windows.size)
      for (row <- together; i <- calls.indices; element <- row.getSeq[Row](i + 1)) {
        val wanted = windows((row.get(0), element.get(0), element.get(1))).get(i + 3)
        val got = element.get(2)
        assert(same(got, wanted), s"${calls(i)} in ${row.get(0)} at $element: expected $wanted")
      }
    }

  test("merged from parts, by hash or by sort") {
    spark.sql(spans).repartition(5).createOrReplaceTempView("spans")
    val query =
      "SELECT k, count(*), intervals(collect_list(id), a, b), max(id) FROM spans GROUP BY k"
    val byHash = spark.sql(query)
    assert(nodes(byHash) { case a: ObjectHashAggregateExec => a }.size === 2)
    def sorted(rows: Array[Row]) = rows.map(_.toString).sorted.toSeq
    val wanted = sorted(byHash.collect())
    withConf("spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1") {
      assert(sorted(spark.sql(query).collect()) === wanted)
    }
    withConf("spark.sql.execution.useObjectHashAggregateExec" -> "false") {
      val bySort = spark.sql(query)
      assert(nodes(bySort) { case a: SortAggregateExec => a }.size === 2)
      assert(sorted(bySort.collect()) === wanted)
    }
  }

  test("FILTER and DISTINCT inside, FILTER outside") {
    assert(intervals("count(*) FILTER (WHERE x = 1)") ===
      Seq(Row(0, 5, 1L), Row(5, 10, 1L), Row(10, 15, 0L), Row(20, 30, 0L)))
    assert(value("SELECT intervals(count(*), s, e) FILTER (WHERE x = 1) FROM stays") ===
      Seq(Row(0, 10, 1L)))
    assert(intervals("count(DISTINCT x % 1)") ===
      Seq(Row(0, 5, 1L), Row(5, 10, 1L), Row(10, 15, 1L), Row(20, 30, 1L)))
  }

  test("over a window, and in windows of a group") {
    val over = spark.sql(
      "SELECT s, intervals(count(*), s, e) OVER (ORDER BY s ROWS 1 PRECEDING) FROM stays " +
        "WHERE k = 'a'"
    ).collect().map(r => r.getInt(0) -> r.getSeq[Row](1)).toMap
    assert(over(0) === Seq(Row(0, 10, 1L)))
    assert(over(5) === Seq(Row(0, 5, 1L), Row(5, 10, 2L), Row(10, 15, 1L)))
    assert(over(20) === Seq(Row(5, 15, 1L), Row(20, 30, 1L)))
    val inside = spark.sql(
      "SELECT validity.start, intervals(sum(x), s, e) FROM stays WHERE k = 'a' GROUP BY validity(s, e)"
    ).collect().map(r => r.getInt(0) -> r.getSeq[Row](1)).toMap
    assert(inside(5) === Seq(Row(0, 5, 1L), Row(5, 10, 3L), Row(10, 15, 2L)))
    assert(inside(20) === Seq(Row(20, 30, 4L)))
    val some = spark.sql(
      "SELECT intervals(count_if(x > 1), s, e) OVER (PARTITION BY k) FROM stays WHERE k = 'b'"
    ).collect().map(_.getSeq[Row](0)).toSeq
    assert(some === Seq.fill(2)(Seq(Row(3, null, 1L))))
  }

  test("around partials") {
    assert(value(
      "SELECT intervals(merge_partial(sum(p)), s, e) FROM " +
        "(SELECT s, e, partial(avg(x)) AS p FROM stays WHERE k = 'a' GROUP BY s, e)"
    ) === Seq(Row(0, 5, 1L), Row(5, 10, 3L), Row(10, 15, 2L), Row(20, 30, 4L)))
  }

  test("invalid rows and arguments are rejected") {
    def refused(rows: String, condition: String, row: String): Unit =
      assertFails(condition, "function" -> "intervals", "row" -> row) {
        spark.sql(s"SELECT intervals(count(*), s, e) FROM VALUES $rows AS d(s, e)").collect()
      }
    refused("(1, 2), (NULL, 3)", "MUNTIN_NULL_VALIDITY_START", "start = NULL, end = 3")
    refused("(1, 2), (5, 3)", "MUNTIN_VALIDITY_ENDS_BEFORE_START", "start = 5, end = 3")
    def unresolved(call: String, condition: String): Unit =
      assertFails(condition, "function" -> "intervals")(spark.sql(s"SELECT $call FROM stays"))
    unresolved("intervals(count(*), s, k)", "MUNTIN_INCOMPATIBLE_WINDOW_TIMES")
    unresolved("intervals(x, s, e)", "MUNTIN_NOT_AN_AGGREGATE")
    unresolved("intervals(count(*), s, rand())", "MUNTIN_NONDETERMINISTIC")
    unresolved("intervals(first(rand()), s, e)", "MUNTIN_NONDETERMINISTIC")
  }

  test("rows as bytes") {
    val projection = UnsafeProjection.create(Array[DataType](IntegerType, StringType))
    val values = (0 until 300).map(i => (i, "x" * (i % 19)))
    val (one, other) = (new IntervalRows, new IntervalRows)
    values.foreach { case (i, text) =>
      (if (i < 100) one else other).add(projection(InternalRow(i, UTF8String.fromString(text))))
    }
    val sent = IntervalRows.of(one.toBytes)
    sent.addAll(IntervalRows.of(other.toBytes))
    assert(sent.rows(2).map(r => (r.getInt(0), r.getString(1))).toSeq === values)
    assert(new IntervalRows().rows(2).isEmpty)
    assert(one.rows(2).length === 100)
  }
}

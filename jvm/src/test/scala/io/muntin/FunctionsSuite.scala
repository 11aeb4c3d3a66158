package io.muntin

import java.nio.file.{Files, Path}
import java.time.Duration

import io.muntin.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.muntin.plans.dialect.MuntinFunctions

/** The functions of the Scala DataFrame API, each used once. */
class FunctionsSuite extends MuntinSession {
  private lazy val frame: DataFrame = spark.sql(
    """SELECT timestamp_seconds(id) AS t, id, IF(id = 2, NULL, id * id) AS x, id % 2 AS k
      |FROM range(5)""".stripMargin
  )
  private val byId = Window.orderBy("id")

  private def of(column: Column): Seq[Any] =
    frame.select(col("id"), column).orderBy("id").collect().map(_.get(1)).toSeq

  private def group(column: Column): Any = frame.coalesce(1).agg(column).head().get(0)

  test("sliding") {
    assert(of(sliding(sum("id"), 2).over(byId)) === Seq[Any](null, 1L, 3L, 5L, 7L))
    val odd = sliding(sum("id"), 2, col("k") === 1, partial = true).over(byId)
    assert(of(odd) === Seq[Any](null, 1L, 1L, 4L, 4L))
  }

  test("since") {
    assert(of(since(count("*"), col("k") === 1).over(byId)) === Seq(1L, 2L, 1L, 2L, 1L))
    assert(of(since(count("*"), lit(true), 2).over(byId)) === Seq(1L, 2L, 2L, 2L, 2L))
  }

  test("nth, rate, completeness") {
    assert(group(nth(col("id"), 3)) === 2L)
    assert(group(rate(col("id"), col("id") + 2)) === 2.5)
    assert(group(rate(col("id"), col("id") + 2, lit(4))) === 10.0)
    assert(group(rate(col("t"), timestamp_seconds(col("id") + 10), Duration.ofMinutes(1))) === 30.0)
    assert(group(completeness(col("x"))) === 0.8)
  }

  test("framed, isComplete") {
    val three = byId.rowsBetween(-2, 0)
    assert(of(framed(sum("id"), complete = true).over(three)) === Seq[Any](null, null, 3L, 6L, 9L))
    assert(of(framed(sum("id"), closed = "left").over(three)) === Seq[Any](null, 0L, 1L, 3L, 5L))
    val others = framed(sum("id"), exclude = "current row").over(three)
    assert(of(others) === Seq[Any](null, 0L, 1L, 3L, 5L))
    val arrived = framed(sum("id"), arrival = col("id")).over(Window.orderBy("k"))
    assert(of(arrived) === Seq(0L, 7L, 2L, 10L, 6L))
    assert(of(isComplete(sum("id").over(three))) === Seq(false, false, true, true, true))
  }

  test("rolling by rows, complete") {
    val three = rolling(sum("x"), 3, Nil, col("id"))
    assert(of(three) === Seq[Any](null, null, 1L, 10L, 25L))
    val full = complete(frame, three.as("total"))
    assert(full.columns === frame.columns :+ "total")
    assert(full.orderBy("id").select("total").collect().map(_.get(0)) === Seq(1L, 10L, 25L))
    val byParity = complete(frame, rolling(max("x"), 2, Seq(col("k")), col("id")).as("most"))
    assert(byParity.orderBy("id").select("most").collect().map(_.get(0)) === Seq(0L, 9L, 16L))
  }

  test("rolling with the arguments of pandas: closed, minPeriods, center") {
    def rows(closed: String, least: Option[Int], center: Boolean = false) =
      of(rolling(sum("id"), 3, Nil, Seq(col("id")), closed, least, center))
    assert(rows("", Some(1)) === Seq(0L, 1L, 3L, 6L, 9L))
    assert(rows("left", Some(2)) === Seq[Any](null, null, 1L, 3L, 6L))
    assert(rows("both", Some(1)) === Seq(0L, 1L, 3L, 6L, 10L))
    assert(rows("neither", None) === Seq[Any](null, null, 1L, 3L, 5L))
    assert(rows("", Some(0), center = true) === Seq(1L, 3L, 6L, 9L, 7L))
    def time(closed: String, least: Option[Int] = None, center: Boolean = false) =
      of(rolling(sum("id"), "2 seconds", Nil, Seq(col("t")), closed, least, center))
    assert(time("right") === Seq(0L, 1L, 3L, 5L, 7L))
    assert(time("both", Some(3)) === Seq[Any](null, null, 3L, 6L, 9L))
    assert(time("left", center = true) === Seq(0L, 1L, 3L, 5L, 7L))
    assert(of(rolling(sum("id"), "1 second", Nil, col("t"))) === Seq(0L, 1L, 3L, 5L, 7L))
    val minute = over(Nil, col("t"), "-1 second", "interval 500 milliseconds")
    assert(of(sum("id").over(minute)) === Seq(0L, 1L, 3L, 5L, 7L))
    val names = frame.select(
      rolling(sum("id"), 3, Seq(col("k")), col("t")),
      rolling(sum("id"), "1 hour", Nil, Seq(col("t")), closed = "left"),
      rolling(sum("id"), Nil, col("t"))
    ).columns
    assert(names(0) === "rolling(sum(id), 3, k, t)")
    assert(names(1) === "rolling(sum(id), 1 hour, t, closed=left)")
    assert(names(2) === "rolling(sum(id), all, t)")
    for (
      (wrong, parameter, argument) <- Seq[(() => Column, String, String)](
        (() => rolling(sum("id"), "1h", Nil, col("t")), "size", "'1h'"),
        (() => rolling(sum("id"), "1 month", Nil, col("t")), "size", "'1 month'"),
        (() => rolling(sum("id"), "1.5 hours", Nil, col("t")), "size", "'1.5 hours'"),
        (() => rolling(sum("id"), 1.5, Nil, Seq(col("t"))), "size", "1.5"),
        (() => rolling(sum("id"), 1, Nil, Seq(col("t")), closed = "open"), "closed", "'open'"),
        (() => rolling(sum("id"), 1, Nil, Seq(col("t")), minPeriods = Some(-1)), "minPeriods", "-1")
      )
    ) assertCondition(
      intercept[IllegalArgumentException](wrong()),
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "function" -> "rolling",
      "parameter" -> parameter,
      "argument" -> argument
    )
    assertCondition(
      intercept[IllegalArgumentException](
        rolling(sum("id"), 1, Nil, Seq(col("t")), closed = "neither")
      ),
      "MUNTIN_EMPTY_ROLLING_WINDOW",
      "size" -> "1",
      "closed" -> "'neither'"
    )
  }

  test("a Java program") {
    val rows = frame.select(col("t").as("at"), col("id").as("x"))
    assert(FromJava.windows(rows).orderBy("x").collect().toSeq.map(_.toSeq) === Seq(
      Seq[Any](0L, null, 0L, null, null, 0L, 0L),
      Seq[Any](1L, 1L, 1L, 0L, 1L, 1L, 1L),
      Seq[Any](2L, 3L, 2L, 1L, 3L, 3L, 3L),
      Seq[Any](3L, 5L, 5L, 3L, 5L, 6L, 6L),
      Seq[Any](4L, 7L, 9L, 6L, 7L, 10L, 10L)
    ))
    assert(FromJava.groups(rows).collect().map(_.getLong(0)).toSeq.sorted === Seq(1L, 4L, 5L))
    assert(FromJava.windowBy(rows).count() === 5)
    assert(FromJava.rates(rows.coalesce(1)).head() === Row(2.5, 1L, 4L))
  }

  test("windowBy, clock") {
    val ticks = clock(frame.sparkSession, 1L, 4L, 2L)
    val pairs = windowBy(frame, ticks, col("id"), col("at") - 1, col("at"), closed = "right")
      .on(col("k"), col("at") % 2).agg(sum("id").as("total"), count("x"))
    assert(pairs.columns === Seq("at", "total", "count(x)"))
    assert(pairs.orderBy("at").collect().toSeq === Seq(Row(1L, 1L, 1L), Row(3L, 3L, 1L)))
  }

  test("partial, mergePartial") {
    val parts = frame.groupBy("k").agg(partial(avg("x")).as("p"))
    val row = parts.agg(mergePartial(avg("p")), mergePartial(sum("p"))).head()
    assert(row === Row(6.5, 26L))
  }

  test("validity") {
    def counted(window: Column): Seq[Row] =
      frame.groupBy(window).agg(count("*")).select("validity.*", "count(1)").collect().toSeq
    assert(counted(validity(col("id"), col("id") + 2)) ===
      Seq(Row(0L, 1L, 1L)) ++ (1L to 4L).map(i => Row(i, i + 1, 2L)) :+ Row(5L, 6L, 1L))
    assert(counted(validity(col("id"), lit(null), dumpAt = Some(1), drain = Some(false))) ===
      (0L to 3L).map(i => Row(i, i + 1, i + 1)))
    assert(counted(validity(col("k"), lit(2L), emit = "element")) ===
      Seq(0L, 0L, 0L, 1L, 1L).zipWithIndex.map { case (k, i) => Row(k, null, i + 1L) })
  }

  test("intervals") {
    assert(group(intervals(count("*"), col("id"), col("id") + 2)) ===
      (Row(0L, 1L, 1L) +: (1L to 4L).map(i => Row(i, i + 1, 2L)) :+ Row(5L, 6L, 1L)))
  }

  test("over and rolling by time") {
    val twoSeconds = over(Nil, col("t"), Duration.ofSeconds(-1), Duration.ZERO)
    assert(of(sum("id").over(twoSeconds)) === Seq(0L, 1L, 3L, 5L, 7L))
    assert(of(rolling(sum("id"), Duration.ofSeconds(1), Nil, col("t"))) ===
      Seq(0L, 1L, 3L, 5L, 7L))
    assert(of(rowTime(col("t"))) === (0L to 4L).map(_ * 1000000))
    assert(of(rolling(sum("id"), Seq(col("k")), col("id"))) === Seq(0L, 1L, 2L, 4L, 6L))
    assertThrows[IllegalArgumentException](rolling(sum("id"), Nil))
    assertThrows[IllegalArgumentException](rolling(
      sum("id"),
      Duration.ofSeconds(-1),
      Nil,
      col("t")
    ))
    assertThrows[IllegalArgumentException](rolling(sum("id"), 0, Nil, col("t")))
  }

  test("ticks") {
    val minutely = frame.groupBy(ticks(col("t"), "minutely", "+01:00")).agg(sum("id").as("total"))
    assert(minutely.columns.toSeq === Seq("ticks", "total"))
    assert(minutely.selectExpr("unix_seconds(ticks.end)", "total").collect().toSet ===
      Set(Row(0L, 0L), Row(60L, 10L)))
  }

  test("aggregations") {
    val columns = aggregations(
      Seq(
        Seq("max", "x", "most", "long"),
        Seq("CORR", Seq("id", "id"), "r"),
        Seq("Count", "*", "n"),
        Seq("NTH", Seq[Any]("id", 2), "second", "Integer"),
        Seq("RATE", Seq("id", "x"), "rate"),
        Seq("NEST", "id", "ids"),
        Seq("DISTINCTNEST", "k", "ks", "string"),
        Seq("SUM", "x", "exact", "decimal(20, 2)")
      )
    )
    val row = frame.coalesce(1).where("id <> 0").agg(columns.head, columns.tail: _*).head()
    assert(row.schema.map(f => s"${f.name} ${f.dataType.simpleString}") === Seq(
      "most bigint",
      "r double",
      "n double",
      "second int",
      "rate double",
      "ids array<bigint>",
      "ks array<string>",
      "exact decimal(20,2)"
    ))
    assert(row.toSeq.take(4) === Seq(16L, 1.0, 4.0, 2))
    assert(row.getSeq[String](6).toSet === Set("0", "1"))
    // Their casts and names are outside of the OVER clause.
    val over = aggregations(Seq(Seq("SUM", "id", "s"), Seq("AVG", "id", "a", "decimal(9, 1)")))
      .map(_.over(Window.orderBy("id").rowsBetween(-1L, 0L)))
    val moving = frame.select(over: _*).orderBy("s")
    assert(moving.columns.toSeq === Seq("s", "a"))
    assert(moving.collect().map(_.getDouble(0)).toSeq === Seq(0.0, 1.0, 3.0, 5.0, 7.0))
  }

  test("every function of Odysseus' table") {
    val one = Seq(
      "MAX",
      "MIN",
      "AVG",
      "SUM",
      "COUNT",
      "MEDIAN",
      "STDDEV",
      "VAR",
      "FIRST",
      "LAST",
      "NEST",
      "DISTINCTNEST",
      "COMPLETENESS"
    ).map(f => Seq(f, "id", f))
    val two = Seq("CORR", "COV").map(f => Seq[Any](f, Seq("id", "k"), f))
    val columns = aggregations(one ++ two)
    val row = frame.coalesce(1).agg(columns.head, columns.tail: _*).head()
    assert(row === Row(
      4.0,
      0.0,
      2.0,
      10.0,
      5.0,
      2.0,
      math.sqrt(2.5),
      2.5,
      0.0,
      4.0,
      Seq(0, 1, 2, 3, 4),
      row.getSeq[Long](11),
      1.0,
      0.0,
      0.0
    ))
    assert(row.getSeq[Long](11).toSet === (0L to 4L).toSet)
  }

  test("the lists merge partials: Odysseus' two operators") {
    // The function, the attributes, the partial that the second operator reads, name and type.
    val asked = Seq[(String, Any, String, Seq[Any])](
      ("count", "id", "count", Seq("count", "Integer")),
      ("sum", "id", "avgsum", Seq("sum", "Double")),
      ("avg", "id", "avgsum", Seq("avg", "Double")),
      ("min", "id", "min", Seq("min", "Integer")),
      ("max", "id", "max", Seq("max", "Integer")),
      ("corr", Seq("id", "k"), "r", Seq("r")),
      ("nest", "id", "ids", Seq("ids"))
    )
    def agg(frame: DataFrame, lists: Seq[Seq[Any]]) = {
      val columns = aggregations(lists)
      frame.agg(columns.head, columns.tail: _*)
    }
    // One partial for sum and avg, as in Odysseus' example.
    val pre = asked.filter(_._1 != "avg").map { case (function, attribute, partial, _) =>
      Seq(function, attribute, partial, "PartialAggregate")
    }
    val partials = agg(frame.where("id < 2"), pre).union(agg(frame.where("id >= 2"), pre))
    val merged =
      agg(
        partials,
        asked.map { case (function, _, partial, more) => Seq(function, partial) ++ more }
      )
    val whole =
      agg(frame, asked.map { case (function, of, _, more) => Seq(function, of) ++ more })
    val (found, expected) = (merged.head(), whole.head())
    assert(found.toSeq.take(5) === Seq(5, 10.0, 2.0, 0, 4))
    assert(expected.toSeq.take(5) === found.toSeq.take(5))
    assert(math.abs(found.getDouble(5) - expected.getDouble(5)) < 1e-15)
    assert(found.getSeq[Long](6) === expected.getSeq[Long](6))
  }

  test("NEST of several columns, and of all") {
    val columns = aggregations(Seq(
      Seq("NEST", "*", "all"),
      Seq[Any]("NEST", Seq("id", "k"), "some"),
      Seq("DISTINCTNEST", Seq("k"), "one")
    ))
    val row = frame.coalesce(1).where("id < 2").agg(columns.head, columns.tail: _*).head()
    assert(row.getSeq[Row](0).map(_.schema.map(_.name)) === Seq.fill(2)(frame.columns.toSeq))
    assert(row.getSeq[Row](1).map(_.getLong(0)) === Seq(0L, 1L))
    val error = intercept[IllegalArgumentException](
      aggregations(Seq(Seq("NEST", "*", "all", "double")))
    )
    assertCondition(error, "MUNTIN_TYPE_OF_STRUCTS", "list" -> "['NEST', '*', 'all', 'double']")
  }

  test("aggregations rejects invalid lists") {
    Seq(
      (Seq("SUMM", "x", "s"), "function", "'SUMM'"),
      (Seq("SUM", "x"), "elements", "['SUM', 'x']"),
      (Seq[Any]("SUM", "x", "s", "double", 1), "elements", "['SUM', 'x', 's', 'double', 1]"),
      (Seq[Any]("SUM", Seq("x", "y"), "s"), "attributes", "['x', 'y']"),
      (Seq("NTH", "x", "s"), "attributes", "'x'"),
      (Seq("SUM", "*", "s"), "attribute", "'*'"),
      (Seq("SUM", "x", "s", "complex"), "type", "'complex'"),
      (Seq[Any]("NTH", Seq[Any]("x", 0), "s"), "n", "0"),
      (Seq[Any]("RATE", Seq("x", "y", "s"), "s"), "unit", "'s'"),
      (Seq[Any]("SUM", 3, "s"), "attribute", "3")
    ).foreach { case (list, part, value) =>
      assertCondition(
        intercept[IllegalArgumentException](aggregations(Seq(list))),
        "MUNTIN_INVALID_AGGREGATION",
        "part" -> part,
        "value" -> value
      )
    }
    val twice = intercept[IllegalArgumentException] {
      aggregations(Seq(Seq("SUM", "x", "s"), Seq("AVG", "x", "S")))
    }
    assertCondition(
      twice,
      "MUNTIN_DUPLICATE_AGGREGATION_NAME",
      "list" -> "['AVG', 'x', 'S']",
      "name" -> "S",
      "other" -> "['SUM', 'x', 's']"
    )
  }

  private val call = "(?:Call|_calls\\.call)\\(\\s*\"(\\w+)\"".r

  test("each call is a call of an SQL function") {
    val known = MuntinFunctions.all.map(_.name).toSet + "aggregation"
    Seq(
      "jvm/src/main/scala/io/muntin/Aggregations.scala",
      "jvm/src/main/scala/io/muntin/WindowBy.scala",
      "python/muntin/_window_by.py",
      "python/muntin/_windows.py"
    ).foreach { file =>
      val called = call.findAllMatchIn(Files.readString(Path.of("..", file))).map(_.group(1)).toSet
      assert(called.nonEmpty && called.subsetOf(known), file)
    }
  }
}

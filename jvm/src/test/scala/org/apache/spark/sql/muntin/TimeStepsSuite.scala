package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.Row

/** time_steps, against sequence of whole numbers, and with invalid steps. */
class TimeStepsSuite extends MuntinSession {
  private val random = new Random(5)

  test("steps of every type, against sequence") {
    // Conversions of a number to a time, and of a time to a number.
    val seconds = (x: String) => s"row_time($x) / 1000000"
    val types = Seq[(Long => String, String => String)](
      (n => s"timestamp_seconds($n)", seconds),
      (n => s"TIMESTAMP_NTZ'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, $n)", seconds),
      (n => s"date_from_unix_date($n)", x => s"unix_date($x)"),
      (n => s"bigint($n)", identity),
      (n => s"smallint($n)", identity)
    )
    for ((time, number) <- types; _ <- 0 until 10) {
      val every = 1L + random.nextInt(9)
      val first = random.nextInt(200) - 100L
      val last = first + random.nextInt(40)
      val found = spark.sql(
        s"SELECT double(${number("start")}), double(${number("end")}) " +
          s"FROM (SELECT time_steps(${time(first)}, ${time(last)}, $every))"
      )
      val begin = Math.floorDiv(first, every) * every
      val wanted = (begin to last by every).map(s => Row(s.toDouble, (s + every).toDouble))
      assert(found.collect().toSeq === wanted, (time(first), last, every))
    }
  }

  test("no steps") {
    def steps(arguments: String) =
      spark.sql(s"SELECT time_steps($arguments)").collect().toSeq
    assert(steps("null, 3, 2") === Nil)
    assert(steps("3, CAST(null AS INT), 2") === Nil)
    assert(steps("3, 1, 2") === Nil)
    assert(steps("3, 2, 2") === Seq(Row(2, 4L)))
  }

  test("rows keep their other columns, and rows without steps are removed") {
    val rows = spark.sql(
      "SELECT who, time_steps(began, ended, INTERVAL 1 DAY) AS (day, next) FROM VALUES " +
        "('a', DATE'2026-01-30', DATE'2026-02-01'), ('b', null, null) AS v(who, began, ended)"
    )
    val days = Seq("2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02")
    assert(rows.collect().map(_.mkString(" ")).toSeq ===
      days.zip(days.tail).map { case (day, next) => s"a $day $next" })
  }

  test("steps are generated one at a time") {
    val few = spark.sql("SELECT time_steps(0L, 4000000000000L, 1)").limit(3)
    assert(few.collect().map(_.getLong(0)).toSeq === Seq(0L, 1L, 2L))
  }

  test("invalid arguments are rejected") {
    def refused(arguments: String)(condition: String, parameters: (String, String)*): Unit =
      assertFails(condition, parameters: _*) {
        spark.sql(s"SELECT time_steps($arguments)").collect()
      }
    val wrongValue = "MUNTIN_INVALID_ARGUMENT_VALUE"
    refused("1, 2L, 1")("MUNTIN_INCOMPATIBLE_WINDOW_TIMES", "types" -> "`1` INT, `2L` BIGINT")
    refused("1.5D, 2.5D, 1")("MUNTIN_INVALID_ARGUMENT_TYPE", "parameter" -> "first")
    refused("1, 2, 0")(wrongValue, "parameter" -> "every", "argument" -> "0")
    refused("1, 2, null")(wrongValue, "parameter" -> "every", "argument" -> "NULL")
    refused("1, 2, 1.5")(wrongValue, "parameter" -> "every")
    refused("DATE'2026-01-01', DATE'2026-01-02', '1 hour'")(wrongValue, "parameter" -> "every")
    refused("CAST(-127 AS TINYINT), CAST(0 AS TINYINT), 10")(
      "MUNTIN_TIME_STEP_OUT_OF_RANGE",
      "value" -> "-127",
      "every" -> "10",
      "type" -> "TINYINT"
    )
  }
}

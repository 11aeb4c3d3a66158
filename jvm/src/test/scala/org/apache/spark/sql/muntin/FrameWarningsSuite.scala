package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.plans.checks.{WarnEmptyFrames, WarnIntervalsOfNumbers}

/** The warnings of frames that users rarely intend. Each is logged once. */
final class FrameWarningsSuite extends MuntinSession {
  private def warnings(frame: String): Seq[String] = Warnings.of(WarnEmptyFrames.getClass) {
    val order = if (frame.contains("INTERVAL")) "timestamp_seconds(id)" else "id"
    val found = spark.sql(s"SELECT id, count(*) OVER (ORDER BY $order $frame) AS n FROM range(3)")
    // The test analyzes each query with its inputs.
    found.where("n >= 0").select("n").limit(2).collect(): Unit
  }

  for (distance <- Seq("ROWS 2", "RANGE 2", "RANGE INTERVAL '1' MINUTE", "RANGE INTERVAL 1 HOUR"))
    test(s"$distance FOLLOWING") {
      val said = warnings(s"$distance FOLLOWING")
      assert(said.size === 1, said)
      assert(said.head.startsWith("[MUNTIN_EMPTY_FRAME] "))
      assert(said.head.contains("write BETWEEN CURRENT ROW AND"))
    }

  test("no warning for frames that may contain rows") {
    Seq(
      "ROWS 2 PRECEDING",
      "ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING",
      "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
      "RANGE INTERVAL '1' MINUTE PRECEDING",
      "RANGE CURRENT ROW",
      ""
    ).foreach(frame => assert(warnings(frame) === Nil, frame))
  }

  private def ofNumbers(order: String, frame: String): Seq[String] =
    Warnings.of(WarnIntervalsOfNumbers.getClass) {
      val found = spark.sql(s"SELECT id, count(*) OVER (ORDER BY $order $frame) AS n FROM range(3)")
      found.where("n >= 0").select("n").collect(): Unit
    }

  test("a RANGE interval over numbers logs a warning with the number that Spark uses") {
    Seq(
      "RANGE INTERVAL '1' HOUR PRECEDING" -> "is the number 1,",
      "RANGE BETWEEN CURRENT ROW AND INTERVAL '90' MINUTE FOLLOWING" -> "is the number 90,",
      "RANGE INTERVAL '2' MONTH PRECEDING" -> "is the number 2,"
    ).foreach { case (frame, part) =>
      val said = ofNumbers("id", frame)
      assert(said.size === 1 && said.head.contains(part), said)
      assert(said.head.startsWith("[MUNTIN_INTERVAL_FRAME_OVER_NUMBERS] "))
      assert(said.head.contains("`id` is a BIGINT") && said.head.contains("timestamp_seconds(id)"))
    }
    Seq(
      "id" -> "RANGE 1 PRECEDING",
      "id" -> "RANGE CAST(INTERVAL '1' HOUR AS BIGINT) PRECEDING",
      "timestamp_seconds(id)" -> "RANGE INTERVAL '1' HOUR PRECEDING",
      "date_from_unix_date(CAST(id AS INT))" -> "RANGE INTERVAL '1' DAY PRECEDING"
    ).foreach { case (order, frame) => assert(ofNumbers(order, frame) === Nil, s"$order $frame") }
  }

  test(
    "a day of hours at a change of the clocks: make_interval is exact, a literal is a calendar day"
  ) {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      def counts(offset: String): Seq[Long] = spark.sql(
        s"SELECT count(*) OVER (ORDER BY at RANGE $offset PRECEDING) FROM VALUES " +
          "(TIMESTAMP'2026-10-31 12:00:00'), (TIMESTAMP'2026-11-01 11:30:00'), " +
          "(TIMESTAMP'2026-11-01 12:00:00') t(at) ORDER BY at"
      ).collect().map(_.getLong(0)).toSeq
      assert(counts("make_interval(0, 0, 0, 0, 24)") === Seq(1L, 1L, 2L))
      Seq("INTERVAL 24 HOURS", "INTERVAL '24' HOUR", "INTERVAL 1 DAY").foreach { offset =>
        assert(counts(offset) === Seq(1L, 2L, 3L), offset)
      }
    }
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.plans.WarnEmptyFrames

/** The warning of a frame that is always empty: where it comes, and that it comes once. */
final class WarnEmptyFramesSuite extends MuntinSession {
  private def warnings(frame: String): Seq[String] = Warnings.of(WarnEmptyFrames.getClass) {
    val order = if (frame.contains("INTERVAL")) "timestamp_seconds(id)" else "id"
    val found = spark.sql(s"SELECT id, count(*) OVER (ORDER BY $order $frame) AS n FROM range(3)")
    // Each of them is analyzed, with what is below it.
    found.where("n >= 0").select("n").limit(2).collect(): Unit
  }

  for (distance <- Seq("ROWS 2", "RANGE 2", "RANGE INTERVAL '1' MINUTE", "RANGE INTERVAL 1 HOUR"))
    test(s"$distance FOLLOWING") {
      val said = warnings(s"$distance FOLLOWING")
      assert(said.size === 1, said)
      assert(said.head.contains("write BETWEEN CURRENT ROW AND") &&
        said.head.contains("holds no row"))
    }

  test("frames that may hold rows") {
    Seq(
      "ROWS 2 PRECEDING",
      "ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING",
      "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
      "RANGE INTERVAL '1' MINUTE PRECEDING",
      "RANGE CURRENT ROW",
      ""
    ).foreach(frame => assert(warnings(frame) === Nil, frame))
  }
}

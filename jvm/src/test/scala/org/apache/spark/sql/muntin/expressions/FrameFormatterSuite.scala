package org.apache.spark.sql.muntin.expressions

import io.muntin.kernel.MuntinSuite

import org.apache.spark.sql.muntin.errors.FrameFormatter

final class FrameFormatterSuite extends MuntinSuite {
  test("an offset before the row is PRECEDING, and other text does not change") {
    Seq(
      "RANGE BETWEEN INTERVAL '-0 06:00:00' DAY TO SECOND FOLLOWING AND CURRENT ROW" ->
        "RANGE BETWEEN INTERVAL '0 06:00:00' DAY TO SECOND PRECEDING AND CURRENT ROW",
      "BETWEEN INTERVAL '-01' MINUTE FOLLOWING AND INTERVAL '-1-2' YEAR TO MONTH FOLLOWING" ->
        "BETWEEN INTERVAL '01' MINUTE PRECEDING AND INTERVAL '1-2' YEAR TO MONTH PRECEDING",
      "INTERVAL '-1 days -2 hours -0.5 seconds' FOLLOWING" ->
        "INTERVAL '1 days 2 hours 0.5 seconds' PRECEDING",
      "ROWS BETWEEN -5 FOLLOWING AND -2L FOLLOWING" -> "ROWS BETWEEN 5 PRECEDING AND 2L PRECEDING",
      "BETWEEN -2.5BD FOLLOWING AND 3 FOLLOWING" -> "BETWEEN 2.5BD PRECEDING AND 3 FOLLOWING"
    ).foreach { case (written, shown) => assert(FrameFormatter(written) === shown) }
    Seq(
      "INTERVAL '01' HOUR FOLLOWING",
      "x - 5 FOLLOWING",
      "INTERVAL '-1 days 2 hours' FOLLOWING",
      "timestamp '2024-01-01' and -5"
    ).foreach(text => assert(FrameFormatter(text) === text))
  }
}

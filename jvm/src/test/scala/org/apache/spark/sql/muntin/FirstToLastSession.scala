package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row

/** Compares an aggregate of the first and the last value of `x` with stock Spark. */
trait FirstToLastSession extends MuntinSession {
  private val frames = Seq(
    "ORDER BY id ROWS 4 PRECEDING",
    "ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
    "ORDER BY id",
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  )

  /**
   * Registers a test for each of the types of `x`.
   *
   * @param change
   *   stock Spark's expression, of the first and the last value
   */
  protected final def testChanges(function: String, types: Seq[String])(
      change: (String, String) => String
  ): Unit = for (kind <- types)
    test(s"$kind, in frames and in groups") {
      spark.sql(
        s"""SELECT id, id % 3 AS k, CAST(IF(id % 5 = 0, NULL, id * 7919 % 101 - 50) AS $kind) AS x
           |FROM range(200)""".stripMargin
      ).createOrReplaceTempView("meters")
      frames.foreach { frame =>
        val over = s"OVER (PARTITION BY k $frame)"
        val ours = spark.sql(s"SELECT id, $function(x) $over AS d FROM meters ORDER BY id")
        val wanted = change(s"first(x, true) $over", s"last(x, true) $over")
        val stock = withMuntin(enabled = false)(
          spark.sql(s"SELECT id, $wanted AS d FROM meters ORDER BY id").collect().toSeq
        )
        assert(ours.collect().toSeq === stock, frame)
      }
      val grouped = spark.sql(
        s"SELECT $function(x), $function(x) FILTER (WHERE id > 900) FROM " +
          "(SELECT * FROM meters ORDER BY id)"
      )
      val wanted = spark.sql(
        s"SELECT ${change("min_by(x, id)", "max_by(x, id)")} FROM meters WHERE x IS NOT NULL"
      )
      assert(grouped.collect().toSeq === Seq(Row(wanted.head().get(0), null)))
    }
}

package org.apache.spark.sql.muntin

/** sliding and since as queries say them: their examples, where they may stand, what they refuse. */
class MovingAggregatesSuite extends MuntinSession {
  private def values(query: String): Seq[Any] = {
    val rows = sameRows(query) match {
      case Outcome.Rows(_, found, _) => found
      case other => fail(s"no rows: $other")
    }
    rows.map(_.get(0))
  }

  private val purchases =
    "VALUES (DATE'2012-02-23', 5), (DATE'2012-05-10', 2), (DATE'2018-11-03', 13), " +
      "(DATE'2019-10-26', 4) AS purchases(day, amount)"

  private val readings =
    "VALUES (1, 10D), (2, 6.2D), (3, 9.25D), (4, 3D), (5, 8D), (6, NULL), (7, 10D) AS readings(t, x)"

  test("sliding: null until n rows have qualified") {
    assert(values(
      s"SELECT sliding(sum(amount), 2, amount IS NOT NULL) OVER (ORDER BY day) FROM $purchases"
    ) === Seq[Any](null, 7L, 15L, 17L))
    assert(values(
      s"SELECT sliding(sum(amount), 2, partial => true) OVER (ORDER BY day) FROM $purchases"
    ) === Seq(5L, 7L, 15L, 17L))
  }

  test("since: update, emit, reset") {
    assert(values(s"SELECT since(sum(x), x < 7) OVER (ORDER BY t) FROM $readings") ===
      Seq(10d, 16.2, 9.25, 12.25, 8d, 8d, 18d))
    assert(values(s"SELECT since(count(x), x > 5, 2) OVER (ORDER BY t) FROM $readings") ===
      Seq(1L, 2L, 2L, 2L, 3L, 2L, 3L))
  }
}

package org.apache.spark.sql.muntin

/** The tables in the manuals of SQLstream and Psi for their windows, row for row. */
class FramedTablesSuite extends MuntinSession {
  private val weather = Seq(
    "2018-11-01 01:00" -> "Denver 29",
    "2018-11-01 01:00" -> "Anchorage 2",
    "2018-11-01 06:00" -> "Miami 65",
    "2018-11-01 07:00" -> "Denver 32",
    "2018-11-01 09:00" -> "Anchorage 9",
    "2018-11-01 13:00" -> "Denver 50",
    "2018-11-01 17:00" -> "Anchorage 10",
    "2018-11-01 18:00" -> "Miami 71",
    "2018-11-01 19:00" -> "Denver 43",
    "2018-11-02 01:00" -> "Anchorage 4",
    "2018-11-02 01:00" -> "Denver 39",
    "2018-11-02 07:00" -> "Denver 46",
    "2018-11-02 09:00" -> "Anchorage 3",
    "2018-11-02 13:00" -> "Denver 56",
    "2018-11-02 17:00" -> "Anchorage 2",
    "2018-11-02 19:00" -> "Denver 50",
    "2018-11-03 01:00" -> "Denver 36",
    "2018-11-03 01:00" -> "Anchorage 1"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val session = spark
    import session.implicits._
    weather.zipWithIndex
      .map { case ((time, reading), n) =>
        val words = reading.split(' ')
        (n, java.sql.Timestamp.valueOf(s"$time:00"), words(0), words(1).toInt)
      }
      .toDF("n", "rowtime", "city", "temp")
      .createOrReplaceTempView("weatherstream")
    Seq(
      (1, "10:00", "IBM", 10),
      (2, "10:10", "ORCL", 20),
      (3, "10:25", "ORCL", 15),
      (4, "11:05", "IBM", 30)
    )
      .map { case (n, time, ticker, amount) =>
        (n, java.sql.Timestamp.valueOf(s"2020-01-01 $time:00"), ticker, amount)
      }
      .toDF("n", "rowtime", "ticker", "amount")
      .createOrReplaceTempView("trades")
    // Messages 1 to 6, one per second.
    (1 to 6)
      .map(n => (n, java.sql.Timestamp.valueOf(s"2020-01-01 00:00:0$n")))
      .toDF("message", "time")
      .createOrReplaceTempView("source")
  }

  private def rows(query: String): Seq[String] =
    spark.sql(query).collect().toSeq.map(_.toSeq.mkString(" "))

  private val dayBefore =
    "ORDER BY rowtime RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW"

  test("SQLstream: the day before each reading, in the order of arrival") {
    assert(rows(
      s"SELECT framed(min(temp), arrival => n) OVER ($dayBefore) AS low, " +
        s"framed(max(temp), arrival => n) OVER ($dayBefore) AS high FROM weatherstream ORDER BY n"
    ) === Seq(
      "29 29",
      "2 29",
      "2 65",
      "2 65",
      "2 65",
      "2 65",
      "2 65",
      "2 71",
      "2 71",
      "2 71",
      "2 71",
      "4 71",
      "3 71",
      "3 71",
      "2 71",
      "2 56",
      "2 56",
      "1 56"
    ))
  }

  test("SQLstream: the result by city, with a truncated average") {
    def over(call: String) =
      s"framed($call, arrival => n) OVER (PARTITION BY city $dayBefore)"
    assert(rows(
      s"SELECT city, ${over("min(temp)")} AS low, ${over("max(temp)")} AS high, " +
        s"CAST(${over("avg(temp)")} AS INT) AS mean FROM weatherstream ORDER BY n"
    ) === Seq(
      "Denver 29 29 29",
      "Anchorage 2 2 2",
      "Miami 65 65 65",
      "Denver 29 32 30",
      "Anchorage 2 9 5",
      "Denver 29 50 37",
      "Anchorage 2 10 7",
      "Miami 65 71 68",
      "Denver 29 50 38",
      "Anchorage 2 10 6",
      "Denver 29 50 38",
      "Denver 32 50 42",
      "Anchorage 3 10 6",
      "Denver 39 56 46",
      "Anchorage 2 10 4",
      "Denver 39 56 46",
      "Denver 36 56 45",
      "Anchorage 1 4 2"
    ))
  }

  test("SQLstream: without the order of arrival, readings of one time share a result") {
    val shared = rows(
      s"SELECT min(temp) OVER ($dayBefore), max(temp) OVER ($dayBefore) FROM weatherstream ORDER BY n"
    )
    assert(shared.take(2) === Seq("2 29", "2 29"))
    assert(shared.takeRight(2) === Seq("1 56", "1 56"))
  }

  test("SQLstream: the trades of the hour before, by ticker") {
    assert(rows(
      "SELECT ticker, framed(sum(amount), arrival => n) OVER (PARTITION BY ticker ORDER BY rowtime " +
        "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM trades ORDER BY n"
    ) === Seq("IBM 10", "ORCL 20", "ORCL 35", "IBM 30"))
  }

  /** Psi's complete windows, with the message that they belong to. */
  private def windows(frame: String): Seq[String] = {
    val over = s"OVER (ORDER BY time ROWS BETWEEN $frame)"
    rows(
      s"SELECT message, array_join(window, ',') FROM (SELECT message, " +
        s"framed(collect_list(message), complete => true) $over AS window, " +
        s"is_complete(collect_list(message) $over) AS complete FROM source) " +
        "WHERE complete ORDER BY message"
    )
  }

  test("Psi: windows by message index, past, future and both, only complete windows") {
    assert(windows("2 PRECEDING AND CURRENT ROW") === Seq(
      "3 1,2,3",
      "4 2,3,4",
      "5 3,4,5",
      "6 4,5,6"
    ))
    assert(windows("CURRENT ROW AND 2 FOLLOWING") === Seq(
      "1 1,2,3",
      "2 2,3,4",
      "3 3,4,5",
      "4 4,5,6"
    ))
    assert(windows("1 PRECEDING AND 2 FOLLOWING") === Seq("2 1,2,3,4", "3 2,3,4,5", "4 3,4,5,6"))
  }

  test("Psi: for [0, 2) the second message after the anchor may be missing") {
    def windows(closed: String, frame: String): Seq[String] = {
      val over = s"OVER (ORDER BY time ROWS BETWEEN $frame)"
      val window = s"framed(collect_list(message), closed => '$closed', complete => true) $over"
      rows(
        s"SELECT message, array_join(window, ',') FROM (SELECT message, $window AS window, " +
          s"is_complete(framed(count(*), closed => '$closed') $over) AS complete " +
          "FROM source WHERE message <= 5) WHERE complete AND window IS NOT NULL ORDER BY message"
      )
    }
    val ahead = "CURRENT ROW AND 2 FOLLOWING"
    assert(windows("left", ahead) === Seq("1 1,2", "2 2,3", "3 3,4", "4 4,5"))
    assert(windows("right", ahead) === Seq("1 2,3", "2 3,4", "3 4,5"))
    assert(windows("neither", ahead) === Seq("1 2", "2 3", "3 4", "4 5"))
    assert(windows("right", "2 PRECEDING AND CURRENT ROW") ===
      Seq("2 1,2", "3 2,3", "4 3,4", "5 4,5"))
    // No row belongs to the frame, so no row is missing.
    val none = (1 to 5).map(n => s"$n ")
    assert(windows("neither", "1 PRECEDING AND CURRENT ROW") === none)
    assert(windows("left", "CURRENT ROW AND CURRENT ROW") === none)
  }

  private def spans(from: String, until: String, closed: String): Seq[String] = rows(
    s"SELECT array_join(framed(collect_list(message), closed => '$closed') OVER (ORDER BY time " +
      s"RANGE BETWEEN $from AND $until), ',') FROM source ORDER BY message"
  )

  test("Psi: windows by time, for every message, full or not") {
    assert(spans("INTERVAL '2' SECOND PRECEDING", "INTERVAL '1' SECOND FOLLOWING", "both") ===
      Seq("1,2", "1,2,3", "1,2,3,4", "2,3,4,5", "3,4,5,6", "4,5,6"))
  }

  test("Psi: past and future, with an inclusive or exclusive far end") {
    val (past, future) = ("INTERVAL '2' SECOND PRECEDING", "INTERVAL '2' SECOND FOLLOWING")
    assert(spans(past, "CURRENT ROW", "both") ===
      Seq("1", "1,2", "1,2,3", "2,3,4", "3,4,5", "4,5,6"))
    assert(spans(past, "CURRENT ROW", "right") === Seq("1", "1,2", "2,3", "3,4", "4,5", "5,6"))
    assert(spans("CURRENT ROW", future, "both") ===
      Seq("1,2,3", "2,3,4", "3,4,5", "4,5,6", "5,6", "6"))
    assert(spans("CURRENT ROW", future, "left") === Seq("1,2", "2,3", "3,4", "4,5", "5,6", "6"))
  }

  test("a window without one end or without both") {
    val (past, future) = ("INTERVAL '2' SECOND PRECEDING", "INTERVAL '2' SECOND FOLLOWING")
    assert(spans(past, "CURRENT ROW", "left") === Seq("", "1", "1,2", "2,3", "3,4", "4,5"))
    assert(spans(past, future, "neither") === Seq("1,2", "1,2,3", "2,3,4", "3,4,5", "4,5,6", "5,6"))
  }
}

package org.apache.spark.sql.muntin

import scala.util.Random

/** Many frames over the same columns in one operator, which share state, against stock Spark. */
class ManyFramesSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 90, seed = 17)
  }

  private val seeds = Repeats.seeds(24)

  private def query(random: Random): String = {
    def pick[T](values: T*): T = values(random.nextInt(values.size))
    val part = pick("PARTITION BY k", "PARTITION BY flag", "")
    val (order, unit, sizes, ends) = pick(
      ("id", "ROWS", Seq("2", "5", "17", "60"), Seq("CURRENT ROW", "1 PRECEDING", "3 FOLLOWING")),
      ("i32", "RANGE", Seq("3", "9", "40", "2000"), Seq("CURRENT ROW", "2 FOLLOWING")),
      (
        "ts DESC",
        "RANGE",
        Seq("INTERVAL 1 HOUR", "INTERVAL 1 DAY", "INTERVAL 30 DAY"),
        Seq("CURRENT ROW", "UNBOUNDED FOLLOWING")
      )
    )
    val frames = random.shuffle(sizes).take(2 + random.nextInt(sizes.size - 1))
      .map(s => s"$unit BETWEEN $s PRECEDING AND ${pick(ends.take(1 + random.nextInt(2)): _*)}") ++
      (if (random.nextBoolean()) Seq(s"$unit BETWEEN UNBOUNDED PRECEDING AND ${ends.head}")
       else Nil)
    // RANGE has ties, and any tied row may be first.
    val functions = random
      .shuffle(Seq(
        "min(x)",
        "max(x)",
        "min(wild)",
        "max(s)",
        "min(d38)",
        "max(i32)",
        "sum(i64)",
        "avg(x)",
        "count(s)",
        "first(id)",
        "max(x) FILTER (WHERE i32 > 0)",
        "max_by(id, (i16, id))",
        "min_by(s, (i8, id))",
        "max(ts)"
      ))
      .take(3 + random.nextInt(4))
      .filterNot(f => unit == "RANGE" && f.startsWith("first"))
    val results = for {
      (f, i) <- functions.zipWithIndex
      j <- frames.indices
    } yield s"$f OVER w$j AS r${i}_$j"
    val windows =
      frames.zipWithIndex.map { case (f, j) => s"w$j AS ($part ORDER BY $order $f)" }
    s"SELECT id, ${results.mkString(",\n  ")}\nFROM t WINDOW ${windows.mkString(",\n  ")}"
  }

  seeds.foreach { seed =>
    test(s"query $seed") {
      val made = query(new Random(seed))
      withConf("spark.muntin.over.forceSpill" -> (seed % 2 == 0).toString)(sameRows(made))
    }
  }

  test("frames that end at the same row have one operator") {
    val frames = Seq(3, 10, 40).map(n => s"max(x) OVER (ORDER BY id ROWS $n PRECEDING) AS m$n")
    val made = spark.sql(s"SELECT ${frames.mkString(", ")} FROM t")
    assert(muntinNodes(made).size === 1)
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.types._

/** As-of joins of two streams, and of a stream with a table, equal a batch. */
final class AsOfStreamSuite extends StreamSession {
  private val schema = StructType(Seq(
    StructField("side", StringType),
    StructField("k", StringType),
    StructField("t", TimestampType),
    StructField("i", IntegerType)
  ))

  private val end = Seq(Row("l", "end", at(100000L), -1), Row("r", "end", at(100000L), -1))

  // Unique times, so that the result is unique.
  private def rows(random: Random): Seq[Row] = Seq.tabulate(220) { i =>
    val side = if (random.nextInt(3) == 0) "l" else "r"
    Row(side, s"k${random.nextInt(3)}", at(3L * i + random.nextInt(25) + i / 1000.0), i)
  }

  private def withoutKey(row: Row): Row = Row(row.get(0), null, row.get(2), row.get(3))

  private def joined(join: String)(rows: DataFrame): DataFrame = {
    def side(name: String) =
      rows.where(s"side = '$name'").select("k", "t", "i").withWatermark("t", "30 seconds")
    side("l").createOrReplaceTempView("l")
    side("r").createOrReplaceTempView("r")
    spark.sql(s"SELECT l.i, l.t, r.i AS ri, r.t AS rt FROM l $join")
  }

  for {
    (condition, seed) <- Seq(
      "asof(l.t, r.t, tolerance => '20 seconds')",
      "asof(l.t, r.t, 'forward', '20 seconds')",
      "asof(l.t, r.t, 'nearest', '20 seconds', strict => true)"
    ).zipWithIndex
  } sampledTest(condition) {
    val random = new Random(seed.toLong)
    // Null keys, which the null-safe equality of two of these tests compares.
    val all = rows(random).map(row => if (row.getString(1) == "k2") withoutKey(row) else row)
    val equality = if (seed == 1) "=" else "<=>"
    val join = (if (seed == 1) "JOIN" else "LEFT JOIN") + s" r ON l.k $equality r.k AND $condition"
    val batches = cut(random, all, 90) :+ end
    def answered(rows: Seq[Row]) = shown(rows.filter(_.getInt(0) >= 0))
    val made = streamed(schema, batches, chosen(random, batches, 3))(joined(join)(_))
    assert(made.dropRight(2).exists(_.nonEmpty))
    val wanted = joined(join)(table(schema, all ++ end)).collect().toSeq
    assert(answered(made.flatten) === answered(wanted))
    assert(wanted.exists(!_.isNullAt(2)))
    val withoutKeys = all.filter(_.isNullAt(1)).map(_.getInt(3)).toSet
    assert(wanted.exists(r => withoutKeys(r.getInt(0)) && !r.isNullAt(2)) === (seed != 1))
  }

  test("a left row without a match has nulls, also in columns that are never null on the right") {
    def query(equal: String)(rows: DataFrame): DataFrame = {
      val marked = rows.withWatermark("t", "1 second")
      marked.where("side = 'l'").createOrReplaceTempView("l")
      marked.where("side = 'r' AND i % 3 <> 0").createOrReplaceTempView("r")
      spark.sql(
        s"SELECT l.i, r.i AS ri FROM l LEFT JOIN r ON l.k $equal r.k AND " +
          "asof(l.t, r.t, tolerance => '9 seconds')"
      )
    }
    val rows = Seq(Row("l", "a", at(1L), 1), Row("r", "b", at(1L), 2), Row("l", "b", at(2L), 3))
    for (equal <- Seq("=", "<=>")) {
      val (early, late) = drained(schema, Seq(rows.take(2), rows.drop(2)), true)(query(equal))
      assert(shown(early ++ late) === Seq("[1, null]", "[3, 2]"))
    }
  }

  test("both sides may be filters of one stream, with columns of equal names") {
    def query(rows: DataFrame): DataFrame = {
      val marked = rows.withWatermark("t", "30 seconds")
      marked.where("i % 3 = 0").createOrReplaceTempView("l")
      marked.where("i % 3 <> 0").createOrReplaceTempView("r")
      spark.sql(
        "SELECT l.i, l.side, r.i AS ri, r.side AS rs FROM l LEFT JOIN r ON l.k <=> r.k AND " +
          "asof(l.t, r.t, tolerance => '9 seconds')"
      )
    }
    val random = new Random(7)
    val all = rows(random)
    val (early, late) = drained(schema, cut(random, all, 90), drain = true)(query)
    val wanted = query(table(schema, all)).collect().toSeq
    assert(wanted.exists(_.isNullAt(2)) && wanted.exists(!_.isNullAt(2)))
    assert(shown(early ++ late) === shown(wanted))
  }

  test("a stream as of a table requires a tolerance") {
    val random = new Random(9)
    val all = rows(random)
    table(schema, all.filter(_.getString(0) == "r")).createOrReplaceTempView("quotes")
    def join(tolerance: String)(rows: DataFrame) = asked(
      s"SELECT t.i, q.i AS qi FROM t LEFT JOIN quotes q ON t.k <=> q.k AND asof(t.t, q.t$tolerance)"
    )(rows.where("side = 'l'"))
    val batches = cut(random, all, 150)
    val made = streamed(schema, batches, Set(1))(join(", tolerance => '1 minute'")(_))
    val wanted = join(", tolerance => '1 minute'")(table(schema, all)).collect().toSeq
    assert(shown(made.flatten) === shown(wanted))
    val why = refusal(join("")(new Source(schema).rows))
    assert(why.contains("`tolerance`"))
  }
}

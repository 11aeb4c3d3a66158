package org.apache.spark.sql.muntin

import java.time.{Duration, Instant, LocalDate, LocalDateTime, Period, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types._

/**
 * A table with a column of every type that window functions accept: nulls, ties, difficult values.
 */
object RandomTable {

  /** A nullable column and its random values: few distinct values, so that there are ties. */
  final case class Drawn(name: String, dataType: DataType, draw: Random => Any)

  private def pick[T](values: T*)(random: Random): T = values(random.nextInt(values.size))

  private def decimal(unscaled: String, scale: Int): java.math.BigDecimal =
    new java.math.BigDecimal(new java.math.BigInteger(unscaled), scale)

  private val words = Seq("", "a", "A", "b", "B", "ab", "AB", "ä", "zebra", "𝄞")

  // Around New York's changes of 2024-03-10 07:00 and 2024-11-03 06:00 UTC, and the ends of months.
  private val instants =
    Seq(
      "2024-03-09T07:30:00Z",
      "2024-03-10T06:59:59Z",
      "2024-11-02T06:00:00Z",
      "2024-01-30T12:00:00Z"
    )
      .map(Instant.parse)

  private def instant(random: Random): Instant =
    pick(instants: _*)(random).plusSeconds(random.nextInt(160) * 1800L)

  private val special = Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)

  private val wild = special ++
    Seq(-0.0, 0.0, Double.MinPositiveValue, -1e-310, 1e300, -1e300, 1.5, Double.MaxValue)

  /**
   * The columns with values, in addition to `id`, which is unique, and `k`, which partitions the
   * rows.
   */
  val columns: Seq[Drawn] = Seq(
    Drawn("flag", BooleanType, _.nextBoolean()),
    Drawn("i8", ByteType, r => (r.nextInt(7) - 3).toByte),
    Drawn("i16", ShortType, r => (r.nextInt(40) - 20).toShort),
    Drawn("i32", IntegerType, r => r.nextInt(30) - 15),
    Drawn("i64", LongType, r => r.nextInt(50) * 1_000_000_007L),
    // Never below zero: stock Spark's intermediate sum then overflows exactly if the result does.
    Drawn("huge", LongType, r => if (r.nextInt(3) == 0) Long.MaxValue / 4 else r.nextInt(9).toLong),
    Drawn("d5", DecimalType(5, 2), r => decimal((r.nextInt(2001) - 1000).toString, 2)),
    Drawn("d18", DecimalType(18, 4), r => decimal(s"${r.nextInt(61) - 30}00012345", 4)),
    Drawn(
      "d38",
      DecimalType(38, 10),
      r => decimal(s"${r.nextInt(61) - 30}0000000001234567890123", 10)
    ),
    Drawn("vast", DecimalType(38, 10), r => decimal(pick("9" * 38, "8" * 37, "1234567890")(r), 10)),
    // Sums of eighths are exact in any order, also in stock Spark.
    Drawn("f", FloatType, r => if (r.nextInt(25) == 0) Float.NaN else (r.nextInt(400) - 200) / 8f),
    Drawn("x", DoubleType, r => if (r.nextInt(25) == 0) pick(special: _*)(r) else eighths(r)),
    Drawn("y", DoubleType, eighths),
    Drawn("wild", DoubleType, pick(wild: _*)),
    Drawn(
      "wildf",
      FloatType,
      pick(Float.NaN, Float.NegativeInfinity, -0f, 0f, 1e-45f, 3e38f, 1.5f)
    ),
    Drawn("s", StringType, pick(words: _*)),
    Drawn("lc", StringType("UTF8_LCASE"), pick(words: _*)),
    Drawn("bin", BinaryType, r => pick(words: _*)(r).getBytes("UTF-8")),
    Drawn("day", DateType, r => LocalDate.of(2024, 1, 20).plusDays(r.nextInt(60).toLong)),
    Drawn("ts", TimestampType, instant),
    Drawn("ntz", TimestampNTZType, r => LocalDateTime.ofInstant(instant(r), ZoneOffset.UTC)),
    Drawn("dt", DayTimeIntervalType(), r => Duration.ofMinutes((r.nextInt(100) - 50) * 30L)),
    Drawn("ym", YearMonthIntervalType(), r => Period.ofMonths(r.nextInt(30) - 15)),
    Drawn("arr", ArrayType(IntegerType), r => Seq.fill(r.nextInt(3))(r.nextInt(3))),
    Drawn(
      "st",
      new StructType().add("a", IntegerType).add("b", StringType),
      r => Row(r.nextInt(3), pick(words: _*)(r))
    )
  )

  private def eighths(random: Random): Double = (random.nextInt(4000) - 2000) / 8.0

  private val schema = StructType(
    StructField("id", IntegerType, nullable = false) +: StructField("k", IntegerType) +:
      columns.map(c => StructField(c.name, c.dataType))
  )

  def create(spark: SparkSession, name: String, rows: Int, seed: Int): Unit = {
    val random = new Random(seed)
    val ids = random.shuffle((0 until rows).toVector)
    val data = ids.map { id =>
      // Partitions of 1 and 2 rows, a partition of nulls, and larger partitions.
      val k: Any = if (id == 0) 0 else if (id <= 2) 1 else if (id % 7 == 0) null else 2 + id % 3
      Row.fromSeq(Seq[Any](id, k) ++ columns.map { c =>
        if (random.nextInt(8) == 0) null else c.draw(random)
      })
    }
    // In one slice: both operators read peers in the same order.
    Tables.of(spark, data, schema).createOrReplaceTempView(name)
  }
}

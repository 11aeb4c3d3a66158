package org.apache.spark.sql.muntin

import java.math.{BigDecimal => JBigDecimal, MathContext}

import scala.util.Random

/**
 * Sums and averages of doubles are the doubles nearest to the exact values over the rows in the
 * frame. They equal BigDecimal's results bit for bit, for any rows that left the frame, in any
 * order.
 */
class FloatingSumsSuite extends MuntinSession {
  private val Before = 7
  private val After = 2

  private val finite: Vector[Double] = {
    val random = new Random(41)
    def value: Double = random.nextInt(12) match {
      case 0 => 1e16 * (if (random.nextBoolean()) 1 else -1)
      case 1 => Double.MinPositiveValue * random.nextInt(9)
      case 2 => 1e-300 * random.nextGaussian()
      case 3 => 1e300 * random.nextGaussian()
      case 4 => -0.0
      case 5 => 0.1
      case _ => random.nextGaussian() * math.pow(10, random.nextInt(20).toDouble - 10)
    }
    Vector.fill(120)(value)
  }

  // Huge values early, each followed by its opposite: rows that left must have no effect.
  private val spiked: Vector[Double] =
    Vector(1e16, 1.0, -1e16, 1e308, 1e-308, -1e308) ++ Vector.tabulate(90)(i => 0.1 * (i % 10))

  private val special: Vector[Double] = Vector.tabulate(150) {
    case 20 => Double.NaN
    case 60 => Double.PositiveInfinity
    case 63 => Double.NegativeInfinity
    case 100 => Double.NegativeInfinity
    case 140 => Double.MaxValue
    case 141 => Double.MaxValue
    case 144 => -Double.MaxValue
    case i => i / 8.0
  }

  private def sum(values: Seq[Double]): Double = {
    val hard = values.filter(v => v.isNaN || v.isInfinite)
    if (hard.isEmpty) exact(values).doubleValue else hard.sum
  }

  private def average(values: Seq[Double]): Double = {
    val hard = values.filter(v => v.isNaN || v.isInfinite)
    // 1,200 digits: more than a sum of doubles has, so that double rounding has no effect.
    if (hard.nonEmpty) hard.sum
    else exact(values).divide(new JBigDecimal(values.size), new MathContext(1200)).doubleValue
  }

  private def exact(values: Seq[Double]): JBigDecimal =
    values.foldLeft(JBigDecimal.ZERO)((s, v) => s.add(new JBigDecimal(v)))

  private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value + 0.0)

  /** Returns the sum and average over each frame of `query`, by id, in bits. */
  private def results(
      values: Seq[Double],
      frame: String,
      slices: Int = 1
  ): Map[Int, (Long, Long)] = {
    val session = spark
    import session.implicits._
    val data = spark.sparkContext.parallelize(values.zipWithIndex, slices).toDF("x", "id")
    data.createOrReplaceTempView("doubles")
    val over = s"OVER (ORDER BY id $frame)"
    val made = spark.sql(s"SELECT id, sum(x) $over AS s, avg(x) $over AS a FROM doubles")
    assert(muntinNodes(made).size === 1 && sparkNodes(made).isEmpty)
    made.collect().map(r => r.getInt(0) -> (bits(r.getDouble(1)) -> bits(r.getDouble(2)))).toMap
  }

  private def check(values: Seq[Double], frame: String)(rows: Int => Range): Unit = {
    val found = results(values, frame)
    assert(found.size === values.size)
    values.indices.foreach { id =>
      val inside = rows(id).intersect(values.indices).map(values)
      val wanted = (bits(sum(inside)), bits(average(inside)))
      assert(found(id) === wanted, s"row $id of $frame over $inside")
    }
  }

  for ((name, values) <- Seq("finite" -> finite, "spiked" -> spiked, "special" -> special))
    test(s"$name values: sliding, growing and shrinking frames, whole partitions") {
      check(values, s"ROWS $Before PRECEDING")(id => id - Before to id)
      check(values, s"RANGE BETWEEN $Before PRECEDING AND $After FOLLOWING")(id =>
        id - Before to id + After
      )
      check(values, "ROWS UNBOUNDED PRECEDING")(id => 0 to id)
      check(values, "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")(id => id until values.size)
      check(values, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")(_ => values.indices)
    }

  test("stock Spark's sums differ here, so the values are hard enough") {
    val frame = s"ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    val ours = results(finite, frame)
    val stock = withMuntin(enabled = false) {
      val made = spark.sql(s"SELECT id, sum(x) OVER (ORDER BY id $frame) FROM doubles")
      made.collect().map(r => r.getInt(0) -> bits(r.getDouble(1))).toMap
    }
    assert(finite.indices.count(id => ours(id)._1 != stock(id)) > 10)
  }

  test("neither the number of input and shuffle partitions nor the order of peers changes a bit") {
    val frame = "PARTITION BY k ORDER BY t RANGE BETWEEN 2 PRECEDING AND CURRENT ROW"
    val session = spark
    import session.implicits._
    val rows = finite.zipWithIndex.map { case (x, id) => (id, id % 3, id / 9, x) }
    def run(data: Seq[(Int, Int, Int, Double)], slices: Int, partitions: Int) =
      withConf("spark.sql.shuffle.partitions" -> partitions.toString) {
        spark.sparkContext.parallelize(data, slices).toDF("id", "k", "t", "x")
          .createOrReplaceTempView("peers")
        spark
          .sql(
            "SELECT id, sum(x) OVER w, avg(x) OVER w, stddev(x) OVER w " +
              s"FROM peers WINDOW w AS ($frame)"
          )
          .collect()
          .map(r => r.getInt(0) -> (1 to 3).map(i => bits(r.getDouble(i))))
          .toMap
      }
    val first = run(rows, slices = 1, partitions = 1)
    assert(first.size === rows.size)
    Seq((2, 3), (5, 7)).foreach { case (slices, partitions) =>
      assert(run(rows, slices, partitions) === first)
      assert(run(rows.reverse, slices, partitions) === first)
      assert(run(new Random(slices).shuffle(rows), slices, partitions) === first)
    }
  }

  test("sums of floats are rounded once, in double") {
    val session = spark
    import session.implicits._
    val values = Vector.tabulate(60)(i => if (i % 7 == 0) 1e9f else 0.1f * i)
    spark.sparkContext.parallelize(
      values.zipWithIndex,
      1
    ).toDF("x", "id").createOrReplaceTempView("f")
    val rows = spark
      .sql("SELECT id, sum(x) OVER (ORDER BY id ROWS 5 PRECEDING) FROM f")
      .collect()
    rows.foreach { r =>
      val id = r.getInt(0)
      val inside = (math.max(0, id - 5) to id).map(i => values(i).toDouble)
      assert(bits(r.getDouble(1)) === bits(sum(inside)), s"row $id")
    }
    assert(rows.length === values.size)
  }
}

package io.muntin.kernel.sums

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.{AlignedBlocks, GrowingFold}

class CounterSumSuite extends MuntinSuite {
  import NeighbourSeries._

  private def increase(values: Seq[BigDecimal]): BigDecimal =
    values.zip(values.drop(1)).map { case (a, b) => if (b < a) b else b - a }.sum

  private val digits = new java.math.MathContext(400)

  private def exact(value: Double) = new BigDecimal(new java.math.BigDecimal(value), digits)

  test("integers: exact for any division of the rows") {
    val random = new Random(1)
    def whole() = new CounterSum(isWhole = true, NoDisorder)
    (1 to 300).foreach { _ =>
      val most = if (random.nextInt(5) == 0) Long.MaxValue else 100L
      val values = Vector.fill(1 + random.nextInt(30))(Math.floorMod(random.nextLong(), most))
      val found = cut[Long, CounterSum](values, random, () => whole())(_.add(_, 0L))
      val wanted = increase(values.map(BigDecimal(_)))
      assert(found.count === values.size && BigDecimal(found.bigInteger) === wanted)
      assert(found.fitsLong === wanted.isValidLong)
      if (found.fitsLong) assert(found.long === wanted.toLongExact)
    }
  }

  test("doubles: correctly rounded for any division of the rows") {
    val random = new Random(2)
    def floating() = new CounterSum(isWhole = false, NoDisorder)
    (1 to 300).foreach { _ =>
      val values = Vector.fill(1 + random.nextInt(30)) {
        Math.scalb(random.nextDouble(), random.nextInt(100) - 50)
      }
      val found = cut[Double, CounterSum](values, random, () => floating())(_.add(_, 0L))
      assert(found.double === increase(values.map(exact)).doubleValue)
    }
    val odd = floating()
    Seq(1.0, Double.NaN, 3.0).foreach(odd.add(_, 0L))
    assert(odd.double.isNaN)
  }

  test("the elapsed time; a decreasing time is an error") {
    val sum = new CounterSum(isWhole = true, NoDisorder)
    Seq(5L, 5L, 9L).foreach(t => sum.add(1L, t))
    assert(sum.elapsed === 4L)
    val error = intercept[IllegalArgumentException](sum.add(1L, 8L))
    assert(error.getMessage === "from 9 to 8")
  }

  test("columns: frames that grow and that slide, nulls and marks") {
    val random = new Random(3)
    val longs = new LongColumn(Memory.Unlimited, nullable = true)
    val doubles = new DoubleColumn(Memory.Unlimited, nullable = true)
    val marks = new LongColumn(Memory.Unlimited, nullable = true)
    Seq(longs, doubles, marks).foreach(_.addReader(AllRows))
    val rows = Vector.fill(100)(
      Option.when(random.nextInt(4) > 0)(random.nextInt(9).toLong) -> (random.nextInt(5) > 0)
    )
    rows.foreach { case (value, passes) =>
      value.fold(longs.appendNull())(longs.append)
      value.fold(doubles.appendNull())(v => doubles.append(v.toDouble))
      if (passes) marks.append(1L) else marks.appendNull()
    }
    def wanted(from: Int, until: Int) = {
      val values = rows.slice(from, until).filter(_._2).flatMap(_._1)
      (values.size.toLong, increase(values.map(BigDecimal(_))).toDouble)
    }
    for (column <- Seq(longs, doubles)) {
      val grown = new CounterRows(column, None, Some(marks), NoDisorder)
      val growing = GrowingFold(grown)
      growing.clear()
      val slid = new CounterRows(column, None, Some(marks), NoDisorder)
      val sliding = new AlignedBlocks(Memory.Unlimited, slid)
      sliding.clear()
      rows.indices.foreach { p =>
        growing.enter(p.toLong, p + 1L)
        sliding.enter(p.toLong, p + 1L)
        val from = math.max(0, p - 40)
        if (p > 40) sliding.leave(from - 1L, from.toLong)
        growing.refresh()
        sliding.refresh()
        assert((grown.current.count, grown.current.double) === wanted(0, p + 1))
        assert((slid.current.count, slid.current.double) === wanted(from, p + 1))
      }
      sliding.close()
    }
  }
}

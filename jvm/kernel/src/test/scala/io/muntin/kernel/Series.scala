package io.muntin.kernel

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{FrameMotion, RowsEdge}
import org.scalacheck.{Arbitrary, Gen}

/**
 * Series of doubles for which naive floating-point sums are wrong, and the motion of frames over
 * them.
 */
object Series {

  val anyFinite: Gen[Double] =
    Arbitrary.arbitrary[Long].map(java.lang.Double.longBitsToDouble).retryUntil { x =>
      !x.isNaN && !x.isInfinite
    }

  val special: Gen[Double] = Gen.oneOf(
    0.0,
    -0.0,
    1.0,
    -1.0,
    Double.MinPositiveValue,
    -Double.MinPositiveValue,
    java.lang.Double.MIN_NORMAL,
    Math.nextDown(java.lang.Double.MIN_NORMAL),
    Double.MaxValue,
    Double.MinValue,
    1e300,
    1e-300,
    1e16,
    0.1
  )

  val subnormal: Gen[Double] =
    Gen.choose(-(1L << 52), 1L << 52).map(n => n * Double.MinPositiveValue)

  /** Values of about one magnitude, like most data. */
  val ordinary: Gen[Double] = Gen.choose(-1000.0, 1000.0)

  val decimals: Gen[Double] = Gen.choose(-10000, 10000).map(_ / 100.0)

  val sensor: Gen[Double] = Gen.oneOf(20.5, 20.5, 20.5, 20.5, 20.6)

  /** The mean is a trillion times the deviation. */
  val offset: Gen[Double] = Gen.choose(-1e-3, 1e-3).map(1e9 + _)

  val whole: Gen[Double] = Gen.choose(-20, 20).map(_.toDouble)

  val mixed: Gen[Double] = Gen.frequency(6 -> ordinary, 1 -> special, 1 -> anyFinite)

  private val kinds: Seq[Gen[Double]] = Seq(
    ordinary,
    decimals,
    sensor,
    offset,
    whole,
    mixed,
    special,
    subnormal,
    anyFinite,
    Gen.const(0.1)
  )

  val finite: Gen[Vector[Double]] = for {
    size <- Gen.choose(1, 220)
    value <- Gen.oneOf(kinds)
    values <- Gen.containerOfN[Vector, Double](size, value)
  } yield values

  /** Sometimes a spike, or a value that cancels the previous value. */
  val spiked: Gen[Vector[Double]] = for {
    values <- finite
    spikes <- Gen.listOf(Gen.zip(Gen.choose(0, values.size - 1), Gen.oneOf(1e16, -1e300, 1e-300)))
    cancelled <- Gen.listOf(Gen.choose(1, math.max(1, values.size - 1)))
  } yield {
    val spiky = spikes.foldLeft(values) { case (v, (i, x)) => v.updated(i, x) }
    cancelled.filter(_ < spiky.size).foldLeft(spiky)((v, i) => v.updated(i, -v(i - 1)))
  }

  /** With NaN, infinities and nulls. */
  val nullable: Gen[Vector[Option[Double]]] = for {
    values <- spiked
    present <- Gen.containerOfN[Vector, Int](values.size, Gen.choose(0, 19))
  } yield values.zip(present).map {
    case (_, 0 | 1) => None
    case (_, 2) => Some(Double.NaN)
    case (_, 3) => Some(Double.PositiveInfinity)
    case (_, 4) => Some(Double.NegativeInfinity)
    case (x, _) => Some(x)
  }

  /** Mostly finite, with nulls: the inputs of moments. */
  val momentous: Gen[Vector[Option[Double]]] = for {
    values <- spiked
    odd <- Gen.containerOfN[Vector, Int](values.size, Gen.choose(0, 99))
  } yield values.zip(odd).map {
    case (_, i) if i < 8 => None
    case (_, 8) => Some(Double.NaN)
    case (_, 9) => Some(Double.NegativeInfinity)
    case (x, _) => Some(x)
  }

  val frame: Gen[(Long, Long)] = Gen.oneOf(
    Gen.choose(0L, 100L).map(w => (-w, 1L)),
    Gen.zip(Gen.choose(-80L, 5L), Gen.choose(-5L, 80L)),
    Gen.const((0L, 1L))
  )
}

/**
 * Drives accumulators over ROWS frames through a FrameMotion, and records the rows in each frame.
 */
object Sliding {

  /** Rows [current + lower, current + upper) for each current row. */
  def foreach(columns: Seq[Column], accumulator: Accumulator, frame: (Long, Long), rows: Int)(
      append: Int => Unit
  )(check: Range => Any): Unit = {
    val motion = new FrameMotion(new RowsEdge(frame._1), new RowsEdge(frame._2))
    motion.drive(accumulator)
    columns.foreach(_.addReader(motion))
    motion.startPartition()
    var row = 0
    def emit(arrived: Int, ended: Boolean): Unit =
      while (row < arrived && motion.isReady(row.toLong, arrived.toLong, ended)) {
        motion.advance(row.toLong)
        check(motion.start.toInt until motion.end.toInt)
        row += 1
      }
    var p = 0
    while (p < rows) {
      append(p)
      p += 1
      motion.arrive(p.toLong)
      emit(p, ended = false)
    }
    emit(rows, ended = true)
    assert(row == rows)
  }

  def doubles(
      values: Seq[Option[Double]],
      nullable: Boolean = true
  ): (DoubleColumn, Int => Unit) = {
    val column = new DoubleColumn(Memory.Unlimited, nullable)
    (column, p => values(p).fold(column.appendNull())(column.append))
  }

  def longs(values: Seq[Option[Long]]): (LongColumn, Int => Unit) = {
    val column = new LongColumn(Memory.Unlimited, true)
    (column, p => values(p).fold(column.appendNull())(column.append))
  }
}

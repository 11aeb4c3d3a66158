package org.apache.spark.sql.muntin

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.sums.ChunkSum
import org.apache.spark.sql.catalyst.expressions.{BoundReference, SpecificInternalRow}
import org.apache.spark.sql.muntin.partials.ShortSum
import org.apache.spark.sql.types.{BinaryType, DoubleType}

/** Sums of doubles are read back exactly, and take the minimum number of columns. */
final class ShortSumSuite extends MuntinSuite {
  private val read = ShortSum(
    BoundReference(1, DoubleType, nullable = true),
    BoundReference(2, DoubleType, nullable = true),
    BoundReference(3, BinaryType, nullable = true)
  )
  private val row = new SpecificInternalRow(DoubleType +: ShortSum.types)

  /** Returns which of the three columns the sum takes, after reading the sum back. */
  private def columns(values: Double*): Seq[Boolean] = {
    val sum = ChunkSum(ShortSum.Kind)
    values.foreach(sum.add(_: Double))
    val whole = sum.toBytes
    ShortSum.write(sum, row, 1)
    assert(read.eval(row).asInstanceOf[Array[Byte]] === whole)
    // The sum does not change.
    assert(sum.toBytes === whole)
    (1 to 3).map(!row.isNullAt(_))
  }

  private val one = Seq(true, false, false)
  private val two = Seq(true, true, false)
  private val bytes = Seq(false, false, true)

  test("one double, two, or bytes") {
    assert(columns() === one)
    assert(columns(1.5) === one)
    assert(columns(-0.0) === one)
    assert(columns(0.1) === one)
    assert(columns(Double.MinPositiveValue) === one)
    assert(columns(0.5, 0.25, 100.0) === one)
    assert(columns(0.1, 0.2) === two)
    assert(columns(1e300, 1e-300) === two)
    assert(columns(1e200, 1.0, 1e-200) === bytes)
    assert(columns(Double.MaxValue, Double.MaxValue) === bytes)
    assert(columns(Double.NaN) === bytes)
    assert(columns(Double.NaN, 0.1, 0.2) === bytes)
    assert(columns(Double.PositiveInfinity, 1.5) === bytes)
    assert(columns(Double.PositiveInfinity, Double.NegativeInfinity) === bytes)
  }

  test("two doubles represent the sum of many rows of similar magnitude") {
    val random = new Random(7)
    for (rows <- Seq(10, 1000, 100000))
      assert(columns(Seq.fill(rows)(100 + 15 * random.nextGaussian()): _*) === two)
  }
}

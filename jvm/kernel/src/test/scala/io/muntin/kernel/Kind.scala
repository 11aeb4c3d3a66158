package io.muntin.kernel

import java.io.{DataInput, DataOutput}
import java.math.BigInteger

import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn, ObjectColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.IntegerSumSuite
import org.scalacheck.{Arbitrary, Gen}

/** A class of columns, with its values and their order. */
class Kind[A](
    val name: String,
    make: (Memory, Boolean) => Column,
    val put: (Column, A) => Unit,
    val get: (Column, Long) => A,
    val value: Gen[A],
    val order: Ordering[A]
) {
  def column(memory: Memory, nullable: Boolean = true): Column = make(memory, nullable)

  def append(column: Column, value: Option[A]): Unit =
    value.fold(column.appendNull())(put(column, _))

  def read(column: Column, position: Long): Option[A] =
    if (column.isNull(position)) None else Some(get(column, position))

  val nullable: Gen[Option[A]] = Gen.frequency(4 -> value.map(Some(_)), 1 -> Gen.const(None))

  /** Many values are equal, many are null, and some columns have no nulls. */
  def values(size: Gen[Int]): Gen[Vector[Option[A]]] = for {
    n <- size
    few <- Gen.containerOfN[Vector, Option[A]](4, nullable)
    // Generates a sequence of rows from one of the generators, not one value for all rows.
    each <- Gen.oneOf(Seq(nullable, Gen.oneOf(few), value.map(Option(_))))
    values <- Gen.containerOfN[Vector, Option[A]](n, each)
  } yield values

  /** Values that overwrite dropped rows. */
  def junk: Gen[Vector[Option[A]]] = Gen.containerOfN[Vector, Option[A]](7, nullable)
}

object Kind {
  val longs: Kind[Long] = new Kind[Long](
    "longs",
    new LongColumn(_, _),
    (c, x) => c.asInstanceOf[LongColumn].append(x),
    (c, p) => c.asInstanceOf[LongColumn](p),
    Gen.oneOf(Gen.choose(-3L, 3L), IntegerSumSuite.extreme, Arbitrary.arbitrary[Long]),
    Ordering.Long
  )

  /** SQL's order: the zeros are equal, NaN is one value, greater than all others. */
  val sqlDouble: Ordering[Double] = new Ordering[Double] {
    override def compare(a: Double, b: Double): Int = java.lang.Double.compare(a + 0.0, b + 0.0)
  }

  val doubles: Kind[Double] = new Kind[Double](
    "doubles",
    new DoubleColumn(_, _),
    (c, x) => c.asInstanceOf[DoubleColumn].append(x),
    (c, p) => c.asInstanceOf[DoubleColumn](p),
    Gen.oneOf(
      Gen.oneOf(0.0, -0.0, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity),
      Series.whole,
      Series.mixed
    ),
    sqlDouble
  )

  val int128s: Kind[BigInteger] = new Kind[BigInteger](
    "128-bit integers",
    new Int128Column(_, _),
    (c, x) => c.asInstanceOf[Int128Column].append(x.shiftRight(64).longValue, x.longValue),
    (c, p) => {
      val column = c.asInstanceOf[Int128Column]
      BigInteger.valueOf(column.high(p)).shiftLeft(64).or(Int128Column.unsigned(column.low(p)))
    },
    for {
      high <- Gen.oneOf(Gen.choose(-1L, 1L), Arbitrary.arbitrary[Long])
      low <- longs.value
    } yield BigInteger.valueOf(high).shiftLeft(64).or(Int128Column.unsigned(low)),
    Ordering.fromLessThan(_.compareTo(_) < 0)
  )

  /** One byte per character. */
  val strings: Kind[String] = new Kind[String](
    "objects",
    new ObjectColumn(_, _, Strings),
    (c, x) => c.asInstanceOf[ObjectColumn].append(x),
    (c, p) => c.asInstanceOf[ObjectColumn](p).asInstanceOf[String],
    Gen.oneOf(Gen.oneOf("", "a", "aa", "b", "c" * 5000), Gen.asciiPrintableStr),
    Ordering.String
  )

  private object Strings extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int =
      a.asInstanceOf[String].compareTo(b.asInstanceOf[String])

    override def hash(value: AnyRef): Int = value.hashCode

    override def sizeOf(value: AnyRef): Long = value.asInstanceOf[String].length.toLong

    override def save(value: AnyRef, out: DataOutput): Unit =
      out.writeUTF(value.asInstanceOf[String])

    override def restore(in: DataInput): AnyRef = in.readUTF()
  }

  val all: Seq[Kind[_]] = Seq(longs, doubles, int128s, strings)
}

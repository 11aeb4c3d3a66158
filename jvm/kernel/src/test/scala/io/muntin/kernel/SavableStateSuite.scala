package io.muntin.kernel

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  DataInput,
  DataInputStream,
  DataOutput,
  DataOutputStream
}
import java.math.BigInteger

import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn, ObjectColumn}
import io.muntin.kernel.distinct.RunningHyperLogLog
import io.muntin.kernel.extremes.{Pick, RunningExtreme, RunningNth}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.{GrowingFold, Partials}
import io.muntin.kernel.sums.{
  BitCounts,
  BitXor,
  ChunkSum,
  Comoments,
  DecimalSum,
  ExactSum,
  IntegerSum,
  Moments,
  NonNullCount,
  PartialSum
}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** A restored state has the results of the saved state, for any further rows. */
final class SavableStateSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import SavableStateSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 120)

  private def law[A](
      name: String,
      rows: Gen[Vector[A]]
  )(make: (Vector[A], Memory) => Subject): Unit =
    test(name) {
      forAll(rows, Gen.choose(0, 1000), Gen.choose(0, 1000)) { (values, where, other) =>
        val memory = new CountingMemory
        val size = values.size
        val cut = where % (size + 1)
        val second = cut + (if (cut == size) 0 else other % (size - cut + 1))
        val whole = make(values, memory)
        whole.enter(0, size)
        val saved = make(values, memory)
        saved.enter(0, cut)
        // Contains another state, which must be dropped.
        val restored = make(values, memory)
        restored.enter(other % (size + 1), size)
        restored.restore(saved.save())
        assert(restored.answer === saved.answer)
        restored.enter(cut, second)
        val again = make(values, memory)
        again.restore(restored.save())
        again.enter(second, size)
        assert(again.answer === whole.answer)
        // Saving does not change the state.
        restored.enter(second, size)
        assert(restored.answer === whole.answer)
        Seq(whole, saved, restored, again).foreach(_.close())
        assert(memory.held === 0L)
      }
    }

  private val longs: Gen[Vector[Option[Long]]] = Kind.longs.values(Gen.choose(0, 120))

  law("exact sums of doubles", Series.nullable) { (values, memory) =>
    val column = new Kept(Kind.doubles, values, memory)
    val sum = new ExactSum(column.doubles)
    subject(sum, column) {
      Seq[Any](sum.count, bits(sum.sum), if (sum.isEmpty) 0L else bits(sum.mean))
    }
  }

  law("sums of integers", longs) { (values, memory) =>
    val column = new Kept(Kind.longs, values, memory)
    val sum = new IntegerSum(column.longs)
    subject(sum, column) {
      Seq[Any](sum.count, sum.bigInteger, if (sum.isEmpty) 0L else bits(sum.mean))
    }
  }

  law("sums of wide decimals", Kind.int128s.values(Gen.choose(0, 120))) { (values, memory) =>
    val column = new Kept[BigInteger](Kind.int128s, values, memory)
    val sum = new DecimalSum(column.column.asInstanceOf[Int128Column])
    subject(sum, column)(Seq[Any](sum.count, sum.bigInteger))
  }

  law("counts", longs) { (values, memory) =>
    val column = new Kept(Kind.longs, values, memory)
    val count = new NonNullCount(column.column)
    subject(count, column)(Seq(count.count))
  }

  law("xor", longs) { (values, memory) =>
    val column = new Kept(Kind.longs, values, memory)
    val xor = new BitXor(column.longs)
    subject(xor, column)(Seq(xor.count, xor.xor))
  }

  for (and <- Seq(true, false))
    law(s"bits, and = $and", longs) { (values, memory) =>
      val column = new Kept(Kind.longs, values, memory)
      val merged = new BitCounts(column.longs, and, evicts = false)
      subject(merged, column)(Seq(merged.count, merged.value))
    }

  for (order <- 2 to 4)
    law(s"moments up to $order", Series.momentous) { (values, memory) =>
      val column = new Kept(Kind.doubles, values, memory)
      val moments = new Moments(column.doubles, order)
      subject(moments, column) {
        val n = moments.count
        Seq(
          Seq[Any](n, moments.sums.nonFinite > 0L),
          if (n == 0L) Nil
          else Seq(moments.sums.mean, moments.sums.m2, moments.sums.variance(0)).map(bits),
          if (n <= 1L) Nil
          else
            Seq[Any](
              bits(moments.sums.variance(1)),
              bits(moments.sums.standardDeviation(1)),
              moments.sums.isConstant
            ),
          if (n == 0L || order < 3) Nil else Seq(bits(moments.sums.skewness)),
          if (n == 0L || order < 4) Nil else Seq(bits(moments.sums.excessKurtosis))
        ).flatten
      }
    }

  for (xx <- Seq(true, false); yy <- Seq(true, false)) {
    val rows = Gen.zip(Series.momentous, Series.momentous).map { case (x, y) => x.zip(y) }
    law(s"pairs, squares of x: $xx, of y: $yy", rows) { (values, memory) =>
      val x = new Kept(Kind.doubles, values.map(_._1), memory)
      val y = new Kept(Kind.doubles, values.map(_._2), memory)
      val pairs = new Comoments(x.doubles, y.doubles, xx, yy)
      subject(pairs, x, y) {
        val n = pairs.count
        Seq(
          Seq[Any](n, pairs.sums.nonFiniteX > 0L, pairs.sums.nonFiniteY > 0L),
          if (n == 0L) Nil
          else Seq(
            pairs.sums.xMean,
            pairs.sums.yMean,
            pairs.sums.ck,
            pairs.sums.covariance(0)
          ).map(bits),
          if (n == 0L || !xx) Nil else Seq(bits(pairs.sums.sxx)),
          if (n == 0L || !yy) Nil else Seq(bits(pairs.sums.syy)),
          if (n <= 1L || !xx || pairs.sums.isConstantX) Nil
          else Seq(pairs.sums.slope, pairs.sums.intercept).map(bits),
          if (n <= 1L || !xx || !yy || pairs.sums.isConstantX || pairs.sums.isConstantY) Nil
          else Seq(pairs.sums.correlation, pairs.sums.r2).map(bits)
        ).flatten
      }
    }
  }

  for (kind <- Kind.all) {
    extremes(kind)
    positions(kind)
  }

  private def extremes[A](kind: Kind[A]): Unit = {
    val rows = Gen.zip(kind.values(Gen.choose(0, 60)), kind.values(Gen.choose(0, 60))).map {
      case (a, b) => a.zip(b)
    }
    for (sign <- Seq(1, -1); latest <- Seq(true, false); same <- Seq(true, false))
      law(s"extremes of ${kind.name}, sign $sign, latest $latest, of itself $same", rows) {
        (values, memory) =>
          val order = new Kept(kind, values.map(_._1), memory)
          val others = new Kept(kind, values.map(_._2), memory)
          val source = if (same) order else others
          val extreme = new RunningExtreme(order.column, source.column, sign, latest)
          subject(extreme, order, others)(Seq(picked(kind, extreme)))
      }
  }

  private def positions[A](kind: Kind[A]): Unit =
    for (n <- Seq(1, 3, -1, -4); marked <- Seq(true, false))
      law(s"row $n of ${kind.name}, of those not null: $marked", kind.values(Gen.choose(0, 60))) {
        (values, memory) =>
          val column = new Kept(kind, values, memory)
          val nth = new RunningNth(column.column, if (marked) Some(column.column) else None, n)
          subject(nth, column)(Seq(picked(kind, nth)))
      }

  for (p <- Seq(4, 9))
    law(s"HyperLogLog of 2^$p registers", longs.map(_.map(_.map(_ * 0x9e3779b97f4a7c15L)))) {
      (values, memory) =>
        val column = new Kept(Kind.longs, values, memory)
        val registers = new RunningHyperLogLog(memory, column.longs, p)
        subject(registers, column)(Seq[Any](registers.zeros, bits(registers.inverseSum)))
    }

  law("sums of partials", Gen.listOf(Series.nullable).map(_.toVector)) { (values, memory) =>
    val partials = values.map { doubles =>
      val sum = ChunkSum(ChunkSum.FloatingPoint(1))
      doubles.flatten.foreach(sum.add(_: Double))
      sum.toBytes
    }
    val column = new ObjectColumn(memory, true, Bytes)
    column.addReader(All)
    partials.foreach(column.append)
    val sum = new PartialSum(column, ChunkSum.FloatingPoint(1))
    new Subject(sum, Seq(sum.sum.toBytes.toSeq), Seq(column))
  }

  law("any aggregate whose partial can be written", longs) { (values, memory) =>
    val column = new Kept(Kind.longs, values, memory)
    val last = new LastTwo(column.longs)
    GrowingFold(last) match {
      case running: SavableState => subject(running, column)(Seq(last.text))
      case other => fail(s"$other is not saved")
    }
  }

  test("an aggregate whose partial cannot be written is not saved") {
    val column = new LongColumn(Memory.Unlimited, true)
    assert(!GrowingFold(new LastTwo(column, isSaved = false)).isInstanceOf[SavableState])
  }
}

object SavableStateSuite {
  private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)

  private object All extends Column.Reader {
    override def floor: Long = 0L
  }

  private object Bytes extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int = throw new UnsupportedOperationException
    override def hash(value: AnyRef): Int = throw new UnsupportedOperationException
    override def sizeOf(value: AnyRef): Long = value.asInstanceOf[Array[Byte]].length.toLong
  }

  /** A column that stores all rows. */
  private final class Kept[A](kind: Kind[A], values: Vector[Option[A]], memory: Memory) {
    val column: Column = kind.column(memory)
    column.addReader(All)
    values.foreach(kind.append(column, _))

    def longs: LongColumn = column.asInstanceOf[LongColumn]
    def doubles: DoubleColumn = column.asInstanceOf[DoubleColumn]
  }

  private def subject(accumulator: Accumulator with SavableState, columns: Kept[_]*)(
      answer: => Seq[Any]
  ): Subject = new Subject(accumulator, answer, columns.map(_.column))

  private final class Subject(
      accumulator: Accumulator with SavableState,
      answers: => Seq[Any],
      columns: Seq[Column]
  ) {
    accumulator.clear()

    def answer: Seq[Any] = answers

    def enter(from: Int, until: Int): Unit =
      if (from < until) accumulator.enter(from.toLong, until.toLong)

    def save(): Array[Byte] = {
      val bytes = new ByteArrayOutputStream
      accumulator.save(new DataOutputStream(bytes))
      bytes.toByteArray
    }

    def restore(bytes: Array[Byte]): Unit = {
      val in = new ByteArrayInputStream(bytes)
      accumulator.restore(new DataInputStream(in))
      assert(in.available() == 0, "all that was saved is read")
    }

    def close(): Unit = {
      accumulator.close()
      columns.foreach(_.close())
    }
  }

  private def picked[A](kind: Kind[A], pick: Pick): Any =
    if (pick.position < 0L) "none"
    else
      kind.read(pick.values, pick.position) match {
        case Some(d: Double) => bits(d)
        case other => other
      }

  private final class LastTwo(column: LongColumn, override val isSaved: Boolean = true)
      extends Partials[String] {
    var text = ""

    override def zero(): Unit = text = ""

    override def update(position: Long): Unit = {
      val value = if (column.isNull(position)) "null" else column(position).toString
      text = s"${text.split(',').last},$value"
    }

    override def freeze(): String = text

    override def thaw(frozen: String): Unit = text = frozen

    override def merge(frozen: String): Unit = throw new UnsupportedOperationException

    override def sizeOf(frozen: String): Long = 1L

    override def updatesMerged: Boolean = true

    override def write(frozen: String, out: DataOutput): Unit = out.writeUTF(frozen)

    override def read(in: DataInput): String = in.readUTF()
  }
}

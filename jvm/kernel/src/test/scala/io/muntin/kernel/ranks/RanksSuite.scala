package io.muntin.kernel.ranks

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, ColumnSuite, DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.extremes.ExtremeSuite
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RanksSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import RanksSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 50)

  keyed(Kind.longs, Ordering.Long)((m, c, _, n) => new LongRanks(m, c.asInstanceOf[LongColumn], n))(
    (ranks, rank) => ranks.asInstanceOf[LongRanks](rank)
  )

  keyed(Kind.doubles, bits)((m, c, _, n) => new DoubleRanks(m, c.asInstanceOf[DoubleColumn], n))(
    (ranks, rank) => ranks.asInstanceOf[DoubleRanks](rank)
  )

  Seq(Kind.int128s, Kind.strings).foreach(kind => positioned(kind))

  private def positioned[A](kind: Kind[A]): Unit =
    keyed(kind, kind.order)(new PositionRanks(_, _, _, _)) { (ranks, rank) =>
      val positions = ranks.asInstanceOf[PositionRanks]
      kind.get(positions.values, positions(rank))
    }

  private def keyed[A](kind: Kind[A], order: Ordering[A])(
      make: (Memory, Column, Boolean, Int) => Ranks
  )(read: (Ranks, Long) => A): Unit =
    for ((frames, walk, evicts) <- motions)
      test(s"${kind.name}: where $frames, every rank equals the rank in the sorted values") {
        forAll(ExtremeSuite.cases(kind, walk), Gen.choose(2, 9)) { (c, capacity) =>
          val memory = new CountingMemory
          val held = new Held(kind, memory, c.junk)
          val ranks = make(memory, held.column, evicts, capacity)
          c.partitions.foreach { case (walk, values) =>
            Walk.foreach(walk, Seq(held), ranks, evicts)(p => held.append(values(p))) { rows =>
              val sorted = rows.flatMap(values(_)).sorted(order)
              assert(ranks.count === sorted.size)
              some(sorted.size).foreach { i =>
                val value = read(ranks, i.toLong)
                if (!ColumnSuite.same(Some(value), Some(sorted(i)))) fail(s"$i of $sorted")
              }
            }
          }
          ranks.close()
          held.column.close()
          assert(memory.held === 0L)
        }
      }

  test("among equal values in a column, each position is present, in its order, until it leaves") {
    forAll(ExtremeSuite.cases(Kind.strings, Walk.sliding), Gen.choose(2, 9)) { (c, capacity) =>
      val held = new Held(Kind.strings, Memory.Unlimited, c.junk)
      val ranks = new PositionRanks(Memory.Unlimited, held.column, evicts = true, capacity)
      c.partitions.foreach { case (walk, values) =>
        Walk.foreach(walk, Seq(held), ranks)(p => held.append(values(p))) { rows =>
          val sorted = rows.filter(values(_).isDefined).sortBy(p => (values(p).get, p))
          assert(ranks.count === sorted.size)
          some(sorted.size).foreach(i => if (ranks(i.toLong) != sorted(i)) fail(s"$i of $sorted"))
        }
      }
    }
  }

  test("longs and doubles are stored as keys, other values by their positions") {
    val memory = Memory.Unlimited
    assert(Ranks(memory, new LongColumn(memory, true), true).isInstanceOf[LongRanks])
    assert(Ranks(memory, new DoubleColumn(memory, true), true).isInstanceOf[DoubleRanks])
    val column = new Int128Column(memory, true)
    val sliding = Ranks(memory, column, evicts = true).asInstanceOf[PositionRanks]
    assert(sliding.values eq column)
    val growing = Ranks(memory, column, evicts = false).asInstanceOf[PositionRanks]
    assert(growing.values ne column)
    assertThrows[UnsupportedOperationException](growing.leave(0, 1))
  }

  test("any of equal numbers may leave, for any position") {
    val doubles = new DoubleColumn(Memory.Unlimited, false)
    Seq(-0.0, 5.0, Double.NaN, 0.0, 5.0, -Double.NaN, 1.0).foreach(doubles.append)
    val ranks = new DoubleRanks(Memory.Unlimited, doubles, 2)
    def content = (0L until ranks.count).map(ranks(_))
    ranks.enter(0, 3)
    ranks.leave(3, 6)
    assert(ranks.count === 0L)
    ranks.enter(3, 6)
    ranks.leave(0, 1)
    assert(content.map(_.toString) === Seq("5.0", "NaN"))
    assertThrows[IllegalStateException](ranks.leave(6, 7))
    assertThrows[IllegalStateException](ranks.leave(0, 1))
    // If both zeros are present, the named zero leaves.
    ranks.enter(0, 1)
    ranks.enter(3, 4)
    ranks.leave(0, 1)
    assert(content.map(_.toString) === Seq("0.0", "5.0", "NaN"))

    val longs = new LongColumn(Memory.Unlimited, false)
    Seq(3L, 1L, 3L, 2L).foreach(longs.append)
    val whole = new LongRanks(Memory.Unlimited, longs, 2)
    whole.enter(0, 2)
    whole.leave(2, 3)
    assert(whole.count === 1L && whole(0) === 1L)
    assertThrows[IllegalStateException](whole.leave(3, 4))
  }

  test("keys of doubles have the order of doubles, and convert back to them, bit by bit") {
    forAll(Kind.doubles.value, Kind.doubles.value) { (a, b) =>
      val (x, y) = (DoubleRanks.key(a), DoubleRanks.key(b))
      assert(Integer.signum(java.lang.Long.compare(x, y)) === java.lang.Double.compare(a, b))
      val back = java.lang.Double.doubleToLongBits(DoubleRanks.value(x))
      assert(back === java.lang.Double.doubleToLongBits(a))
    }
    assert(DoubleRanks.key(-0.0) === DoubleRanks.key(0.0) - 1)
    val signalling = java.lang.Double.longBitsToDouble(0xfff0000000000001L)
    assert(DoubleRanks.key(signalling) === DoubleRanks.key(Double.NaN))
  }
}

object RanksSuite {

  /** The ends, the ranks of medians, and a rank that differs for every size. */
  private def some(size: Int): Seq[Int] =
    if (size == 0) Seq.empty else Seq(0, (size - 1) / 2, size / 2, size * size / 3 % size, size - 1)

  val motions: Seq[(String, Gen[Walk], Boolean)] =
    Seq(("rows leave", Walk.sliding, true), ("rows only come", Walk.growing, false))

  /** -0.0 below 0.0. */
  val bits: Ordering[Double] = new Ordering[Double] {
    override def compare(a: Double, b: Double): Int = java.lang.Double.compare(a, b)
  }
}

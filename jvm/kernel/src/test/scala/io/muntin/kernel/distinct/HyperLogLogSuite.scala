package io.muntin.kernel.distinct

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory
import org.scalacheck.{Arbitrary, Gen}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class HyperLogLogSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import HyperLogLogSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  for (
    (name, evicts, walk) <- Seq(("leave", true, Walk.sliding), ("only come", false, Walk.growing))
  )
    test(s"if rows $name, the registers equal the registers of the frame") {
      forAll(cases(walk)) { case (p, partitions) =>
        val memory = new CountingMemory
        val column = new Held(Kind.longs, memory, Vector(None, Some(-1L), Some(0L)))
        val longs = column.column.asInstanceOf[LongColumn]
        val sketch: HyperLogLog =
          if (evicts) new CountedHyperLogLog(memory, longs, p)
          else new RunningHyperLogLog(memory, longs, p)
        var changes = -1L
        var registers = Seq.empty[Int]
        partitions.foreach { case (walk, values) =>
          val places = values.map(_.map(place(p, _)))
          Walk.foreach(walk, Seq(column), sketch, evicts)(p => column.append(values(p))) { rows =>
            val wanted = naive(p, rows.iterator.flatMap(places(_)))
            assert(sketch.zeros === wanted.count(_ == 0))
            assert(sketch.inverseSum === wanted.foldLeft(0.0)((s, r) => s + 1.0 / (1L << r)))
            assert(sketch.changes != changes || wanted == registers)
            changes = sketch.changes
            registers = wanted
          }
        }
        sketch.close()
        column.column.close()
        assert(memory.held === 0L)
      }
    }

  test("the number of counters is at most the number of ranks, for any frame") {
    val memory = new CountingMemory
    val column = new LongColumn(Memory.Unlimited, false)
    var needed = 0L
    column.addReader(new Column.Reader { override def floor: Long = needed })
    val random = new scala.util.Random(5)
    val sketch = new CountedHyperLogLog(memory, column, 4)
    (0 until 200000).foreach { p =>
      column.append(random.nextLong())
      sketch.enter(p.toLong, p + 1L)
      if (p >= 50000) {
        needed = p - 49999L
        sketch.leave(p - 50000L, needed)
      }
    }
    assert(memory.held <= 28L * 16 + 48L * 16 * 57)
  }

  test("rows do not leave a growing frame") {
    val sketch =
      new RunningHyperLogLog(Memory.Unlimited, new LongColumn(Memory.Unlimited, false), 4)
    assertThrows[UnsupportedOperationException](sketch.leave(0, 1))
  }
}

object HyperLogLogSuite {

  /** A hash of a register and a rank. */
  def hash(p: Int, register: Int, rank: Int): Long = {
    val rest = if (rank > 64 - p) 0L else 1L << (64 - p - rank)
    register.toLong << (64 - p) | rest
  }

  /** The register and the rank of a hash. */
  def place(p: Int, hash: Long): (Int, Int) = {
    val bits = (63 to 0 by -1).map(i => (hash >>> i) & 1L)
    val index = bits.take(p).foldLeft(0)((i, b) => 2 * i + b.toInt)
    (index, bits.drop(p).takeWhile(_ == 0L).size + 1)
  }

  /** The registers of these places. */
  def naive(p: Int, places: Iterator[(Int, Int)]): Seq[Int] = {
    val registers = new Array[Int](1 << p)
    places.foreach { case (index, rank) => registers(index) = math.max(registers(index), rank) }
    registers.toSeq
  }

  /** Ranks that fall, rise, stay or are random, in few registers or like hashes. */
  def cases(walk: Gen[Walk]): Gen[(Int, Seq[(Walk, Vector[Option[Long]])])] = for {
    p <- Gen.oneOf(4, 4, 5, 9)
    registers <- Gen.oneOf(1, 2, 16)
    top = 64 - p + 1
    value <- Gen.oneOf(Seq[Int => Gen[Long]](
      i => Gen.choose(0, registers - 1).map(hash(p, _, 1 + i % top)),
      i => Gen.choose(0, registers - 1).map(hash(p, _, top - i % top)),
      _ => Gen.choose(0, registers - 1).map(hash(p, _, 3)),
      _ => Gen.zip(Gen.choose(0, registers - 1), Gen.choose(1, top)).map(x => hash(p, x._1, x._2)),
      _ => Arbitrary.arbitrary[Long]
    ))
    partition = for {
      w <- walk
      values <- Gen.sequence[Vector[Option[Long]], Option[Long]]((0 until w.rows).map { i =>
        Gen.frequency(9 -> value(i).map(Some(_)), 1 -> Gen.const(None))
      })
    } yield w -> values
    partitions <- Gen.listOfN(2, partition)
  } yield (p, partitions)
}

package io.muntin.kernel.distinct

import scala.collection.mutable

import io.muntin.kernel.{CountingMemory, Kind, Scatter}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import org.scalacheck.{Arbitrary, Gen}

class CountedHyperLogLogSuite extends MuntinSuite {
  import CountedHyperLogLogSuite._

  for (p <- Seq(4, 9))
    test(s"$p bits: the registers equal the registers of the present rows") {
      var changes = -1L
      var before = Seq.empty[Int]
      Scatter.foreach(hashes(p)) { (run, memory) =>
        new CountedHyperLogLog(memory, run.column.asInstanceOf[LongColumn], p)
      } { (sketch, _, there, values) =>
        val places = there.iterator.flatMap(values(_)).map(HyperLogLogSuite.place(p, _))
        val wanted = HyperLogLogSuite.naive(p, places)
        assert(sketch.zeros === wanted.count(_ == 0))
        assert(sketch.inverseSum === wanted.foldLeft(0.0)((s, r) => s + 1.0 / (1L << r)))
        assert((0 until (1 << p)).map(sketch.rankOr0) === wanted)
        assert(sketch.changes != changes || wanted == before)
        changes = sketch.changes
        before = wanted
      }
    }

  test("counts of keys equal the counts of a map, and all memory is released") {
    val random = new scala.util.Random(11)
    val memory = new CountingMemory
    val counts = new KeyCounts(memory)
    Seq(20000, 30, 20000).foreach { steps =>
      val there = mutable.HashMap.empty[Int, Long].withDefaultValue(0L)
      counts.clear()
      (0 until steps).foreach { _ =>
        val key = random.nextInt(700) * 64
        if (there(key) > 0L && random.nextInt(5) > 1) {
          there(key) -= 1
          assert(counts.remove(key) === there(key))
        } else {
          there(key) += 1
          assert(counts.add(key) === there(key))
        }
      }
    }
    counts.clear()
    assert(memory.held === 12L * 64)
    counts.close()
    assert(memory.held === 0L)
  }
}

object CountedHyperLogLogSuite {

  /** Ranks of few registers, and unchanged hashes. */
  def hashes(p: Int): Kind[Long] = new Kind[Long](
    "hashes",
    new LongColumn(_, _),
    (c, x) => c.asInstanceOf[LongColumn].append(x),
    (c, x) => c.asInstanceOf[LongColumn](x),
    Gen.oneOf(
      Gen.zip(Gen.choose(0, 2), Gen.choose(1, 64 - p + 1)).map { case (register, rank) =>
        HyperLogLogSuite.hash(p, register, rank)
      },
      Arbitrary.arbitrary[Long]
    ),
    Ordering.Long
  )
}

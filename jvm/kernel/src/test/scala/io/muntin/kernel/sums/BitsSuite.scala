package io.muntin.kernel.sums

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.extremes.ExtremeSuite
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class BitsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import BitsSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  test("over any frames, the and and the or of the non-null values") {
    forAll(ExtremeSuite.cases(bits, Walk.sliding), Gen.oneOf(1, 3, 16, BitMerge.Block)) {
      (c, block) =>
        val memory = new CountingMemory
        val held = new Held(bits, memory, c.junk)
        val column = held.column.asInstanceOf[LongColumn]
        val and = new BitMerge(memory, column, and = true, block)
        val or = new BitMerge(memory, column, and = false, block)
        c.partitions.foreach { case (walk, values) =>
          Walk.foreach(walk, Seq(held), new ExtremeSuite.Both(and, or))(p =>
            held.append(values(p))
          ) {
            rows =>
              val present = rows.flatMap(values(_))
              assert(and.count === present.size)
              assert(or.count === present.size)
              assert(and.value === present.fold(-1L)(_ & _))
              assert(or.value === present.fold(0L)(_ | _))
          }
        }
        and.close()
        or.close()
        column.close()
        assert(memory.held === 0L)
    }
  }

  test("a frame that only grows") {
    forAll(ExtremeSuite.cases(bits, Walk.growing)) { c =>
      val held = new Held(bits, Memory.Unlimited, c.junk)
      val column = held.column.asInstanceOf[LongColumn]
      val and = new BitCounts(column, and = true, evicts = false)
      c.partitions.foreach { case (walk, values) =>
        Walk.foreach(walk, Seq(held), and, evicts = false)(p => held.append(values(p))) { rows =>
          assert(and.value === rows.flatMap(values(_)).fold(-1L)(_ & _))
        }
      }
    }
  }
}

object BitsSuite {

  /** Few bits are set or few are not, so that both the and and the or vary. */
  val bits: Kind[Long] = new Kind[Long](
    "bits",
    new LongColumn(_, _),
    (c, x) => c.asInstanceOf[LongColumn].append(x),
    (c, p) => c.asInstanceOf[LongColumn](p),
    Gen.zip(Gen.choose(0, 63), Gen.choose(0, 63), Gen.oneOf(0L, -1L)).map { case (i, j, flip) =>
      (1L << i | 1L << j) ^ flip
    },
    Ordering.Long
  )
}

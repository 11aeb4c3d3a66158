package io.muntin.kernel.columns

import io.muntin.kernel.CountingMemory
import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class IntRingSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  test(
    "contains the elements between its ends, through growth and wrapping, for any rejected request"
  ) {
    val steps = Gen.listOf(Gen.zip(Gen.choose(0, 90), Gen.choose(0.0, 1.0)))
    forAll(steps, Gen.choose(0L, 1000L), Gen.choose(1, 5)) { (steps, start, refused) =>
      val memory = new CountingMemory(refused + 1)
      val ring = new IntRing(memory)
      var lo = start
      var hi = start
      steps.foreach { case (added, kept) =>
        CountingMemory.retrying(ring.reserve(lo, hi, hi + added))
        (hi until hi + added).foreach(p => ring(p) = (p * 7).toInt)
        hi += added
        (lo until hi).foreach(p => assert(ring(p) === (p * 7).toInt))
        lo = hi - ((hi - lo) * kept).toLong
      }
      ring.close()
      assert(memory.held === 0L)
    }
  }
}

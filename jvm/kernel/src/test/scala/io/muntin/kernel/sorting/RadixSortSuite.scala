package io.muntin.kernel.sorting

import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RadixSortSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import RadixSortSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  test("a part is sorted as by a stable sort of unsigned numbers, and the rest does not change") {
    forAll(series, Gen.choose(0, 5), Gen.choose(0, 5)) { (keys, before, behind) =>
      val all = Array.fill(before)(-7L) ++ keys ++ Array.fill(behind)(3L)
      val items = Array.range(0, all.length)
      val until = before + keys.length
      val expected = items.slice(before, until).sortWith { (l, r) =>
        java.lang.Long.compareUnsigned(all(l), all(r)) < 0
      }
      val sorted = all.clone()
      new RadixSort(keys.length).sort(sorted, items, before, until)
      val order = (0 until before) ++ expected ++ (until until all.length)
      assert(items.toSeq === order)
      assert(sorted.toSeq === order.map(all(_)))
    }
  }

  test("one sorter sorts several parts one after the other") {
    val sorter = new RadixSort(100)
    for (seed <- 1 to 20) {
      val random = new scala.util.Random(seed)
      val keys = Array.fill(100)(random.nextLong() >> random.nextInt(64))
      val items = Array.range(0, 100)
      val expected = Seq((0, 60), (60, 100)).flatMap { case (from, until) =>
        (from until until).sortWith((l, r) =>
          java.lang.Long.compareUnsigned(keys(l), keys(r)) < 0
        )
      }
      sorter.sort(keys, items, 0, 60)
      sorter.sort(keys, items, 60, 100)
      assert(items.toSeq === expected)
    }
  }
}

private object RadixSortSuite {

  /** Few and many keys that differ in few bits or in many, sorted or not, with or without ties. */
  val series: Gen[Array[Long]] = for {
    count <- Gen.oneOf(
      Gen.choose(0, 3),
      Gen.choose(RadixSort.Few - 1, RadixSort.Few + 2),
      Gen.choose(100, 600),
      Gen.const(5000)
    )
    shift <- Gen.choose(0, 63)
    bits <- Gen.choose(1, 64)
    base <- Gen.oneOf(0L, -1L, Long.MinValue, 0x5555555555555555L)
    seed <- Gen.choose(0L, Long.MaxValue)
    inOrder <- Gen.frequency(1 -> true, 5 -> false)
  } yield {
    val random = new scala.util.Random(seed)
    val keys = Array.fill(count)(base ^ ((random.nextLong() >>> (64 - bits)) << shift))
    if (inOrder) keys.sortWith(java.lang.Long.compareUnsigned(_, _) < 0) else keys
  }
}

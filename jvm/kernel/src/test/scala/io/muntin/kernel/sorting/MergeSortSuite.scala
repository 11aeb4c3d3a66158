package io.muntin.kernel.sorting

import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class MergeSortSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val keys: Gen[Array[Int]] = for {
    count <- Gen.oneOf(Gen.choose(0, 3), Gen.choose(7, 18), Gen.choose(100, 600), Gen.const(5000))
    most <- Gen.oneOf(1, 5, 1000, Int.MaxValue)
    drawn <- Gen.listOfN(count, Gen.choose(0, most))
    inOrder <- Gen.oneOf(false, false, true)
  } yield (if (inOrder) drawn.sorted else drawn).toArray

  test("a part is sorted as by a stable sort with few comparisons, and the rest does not change") {
    forAll(keys, Gen.choose(0, 5), Gen.choose(0, 5)) { (of, before, behind) =>
      var comparisons = 0L
      val sort = new MergeSort(new ItemOrder {
        override def compare(one: Int, other: Int): Int = {
          comparisons += 1
          Integer.compare(of(one), of(other))
        }
      })
      val items = Array.fill(before)(-7) ++ of.indices ++ Array.fill(behind)(3)
      sort.sort(items, before, before + of.length)
      val expected = of.indices.sortBy(of(_))
      assert(items.toSeq === Seq.fill(before)(-7) ++ expected ++ Seq.fill(behind)(3))
      if (of.toSeq == of.sorted.toSeq) assert(comparisons <= of.length * 2L)
      else {
        val bits = 32 - Integer.numberOfLeadingZeros(of.length)
        assert(comparisons <= of.length * (bits + 5L))
      }
    }
  }
}

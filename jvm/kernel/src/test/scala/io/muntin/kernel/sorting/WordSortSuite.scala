package io.muntin.kernel.sorting

import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class WordSortSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val table = for {
    columns <- Gen.choose(1, 4)
    rows <- Gen.oneOf(Gen.choose(0, 20), Gen.choose(20, 300))
    values <- Gen.oneOf(2, 5, 1000)
    missingFirst <- Gen.choose(0, (1 << columns) - 1)
    nullable <- Gen.oneOf(true, false)
    seed <- Gen.choose(0L, Long.MaxValue)
  } yield (columns, rows, values, missingFirst, nullable, seed)

  test("rows are sorted column by column, and equal rows keep their order") {
    forAll(table) { case (columns, rows, values, missingFirst, nullable, seed) =>
      val random = new scala.util.Random(seed)
      val words = Array.fill(columns)(Array.fill(rows)(random.nextInt(values) - 1L))
      val missing =
        if (nullable) Array.fill(rows)((random.nextInt(16) & random.nextInt(16)).toByte) else null
      def isMissing(column: Int, row: Int) = nullable && ((missing(row) >> column) & 1) != 0
      def compare(left: Int, right: Int): Int =
        (0 until columns).iterator.map { c =>
          val (l, r) = (isMissing(c, left), isMissing(c, right))
          val first = if (((missingFirst >> c) & 1) != 0) -1 else 1
          if (l && r) 0
          else if (l) first
          else if (r) -first
          else java.lang.Long.compareUnsigned(words(c)(left), words(c)(right))
        }.find(_ != 0).getOrElse(0)
      val from = rows / 4
      val order = random.shuffle((0 until rows).toList).toArray
      val before = order.clone()
      val sort = new WordSort(words, missing, missingFirst, rows, rows - from)
      sort.sort(order, from, rows)
      assert(order.take(from).toSeq === before.take(from).toSeq)
      assert(order.drop(from).toSeq === before.drop(from).toSeq.sortWith(compare(_, _) < 0))
      for (i <- 1 until math.min(rows, 40))
        assert(sort.areEqual(i - 1, i) === (compare(i - 1, i) == 0))
    }
  }
}

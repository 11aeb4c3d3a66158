package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.muntin.execution.sort.SortWords

/**
 * Cuts compared with rows in stripes equal cuts compared with rows one by one, also at the limits
 * of longs.
 */
class NumberedCutSuite extends MuntinSuite with KeysAndTimes {
  private val times =
    Seq(Long.MinValue, Long.MinValue + 1L, -1L, 0L, 1L, Long.MaxValue - 1L, Long.MaxValue)
  private val sides =
    Seq(Cut.BeforePartition, Cut.BeforePeers, Cut.AfterPeers, Cut.AfterPartition)

  test("rows before a cut, in stripes of one key and of several, ascending and descending") {
    for (direction <- Seq(Ascending, Descending)) {
      val sortOrder = columns.map(SortOrder(_, direction))
      val order = new CutOrder(sortOrder, 1, columns)
      val words = SortWords(sortOrder, columns).get
      val numbers = new StripeNumbers(words)
      val marks = new Array[Byte](Stripe.MostRows)
      val random = new Random(7)
      def oneOf[A](values: Seq[A]): A = values(random.nextInt(values.size))
      for (_ <- 1 to 500) {
        val keys = 1 + random.nextInt(3)
        // Few distinct times, so that many stripes are on one side of the cut.
        val some = Seq.fill(1 + random.nextInt(4))(oneOf(times))
        val rows =
          Seq.fill(1 + random.nextInt(8))(row(random.nextInt(keys).toLong, oneOf(some)))
        assert(numbers.load(stripe(rows)))
        for (side <- sides) {
          val cut = Cut(row(random.nextInt(keys).toLong, oneOf(times)), side)
          val numbered = new NumberedCut(cut, 1, words)
          numbered.load(numbers)
          numbered.mark(numbers, rows.size, marks)
          val expected = rows.map(order.isBefore(_, cut))
          assert(marks.take(rows.size).map(_ == 1).toSeq == expected, s"$cut, $rows, $direction")
          assert(rows.indices.map(numbered.isAfter(numbers, _)) == expected)
        }
      }
    }
  }
}

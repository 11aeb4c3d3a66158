package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.muntin.execution.sort.SortWords

/** The order columns of one stripe as numbers, with the least and the greatest of each. */
private[split] final class StripeNumbers(words: SortWords) {
  val columns: Array[Array[Long]] = Array.fill(words.size)(new Array[Long](Stripe.MostRows))
  val least: Array[Long] = new Array(words.size)
  val most: Array[Long] = new Array(words.size)

  /** Loads the numbers. Returns true if all rows of the stripe have numbers. */
  def load(stripe: Stripe): Boolean =
    words.columns.forall(c => stripe.nulls(c.ordinal) == null) && {
      var column = 0
      while (column < words.size) {
        words.columns(column).write(stripe, 0, stripe.rows, columns(column), 0)
        findEnds(column, stripe.rows)
        column += 1
      }
      true
    }

  private def findEnds(column: Int, rows: Int): Unit = {
    val ofColumn = columns(column)
    var (low, high) = (Long.MaxValue, Long.MinValue)
    var i = 0
    while (i < rows) {
      // Numbers are unsigned.
      val number = ofColumn(i) ^ Long.MinValue
      low = math.min(low, number)
      high = math.max(high, number)
      i += 1
    }
    least(column) = low ^ Long.MinValue
    most(column) = high ^ Long.MinValue
  }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.exchange.{Layout, SelectedStripe, Stripe}
import org.apache.spark.sql.muntin.execution.sort.SortWords

/**
 * Picks the rows of a chunk and of its halo from stripes, in one pass. If the sort columns are
 * numbers, most rows only need a comparison with the cuts of the pass, column by column. Rows that
 * arrive in order do not even need that: a cut is on one side of all rows of a stripe. Only rows on
 * which the chunk must decide are built, one by one.
 *
 *     cuts of the pass       heeded from     inner from      inner until     heeded until
 *     rows                10              30    40        50      60      80             90
 *                        ignored            decided        taken        decided     ignored
 *
 * @param columns
 *   the columns that the chunk reads from rows on which it must decide
 */
private[split] final class StripePicks(
    chunk: ChunkRows,
    layout: Layout,
    order: Option[SortWords],
    keys: Int,
    columns: Set[Int]
) {
  private val pass = chunk.pass
  // None if the chunk must decide on every row.
  private val words = order.filter { ofOrder =>
    val all = Seq(pass.relevantFrom, pass.innerFrom, pass.innerUntil, pass.relevantUntil).flatten
    NumberedCut.support(all, keys, ofOrder)
  }
  private val numbers = words.map(new StripeNumbers(_)).orNull
  private val relevantFrom = new MarkedCut(numbered(pass.relevantFrom), without = 0)
  private val innerFrom = new MarkedCut(numbered(pass.innerFrom), without = 0)
  private val innerUntil = new MarkedCut(numbered(pass.innerUntil), without = 1)
  private val relevantUntil = new MarkedCut(numbered(pass.relevantUntil), without = 1)
  private val cuts = Array(relevantFrom, innerFrom, innerUntil, relevantUntil)
  private val takesInner = if (pass.takesInner) 1 else 0

  // 1 for a taken row, else 0.
  private val isTaken = new Array[Byte](Stripe.MostRows)
  private val undecided = new Array[Int](Stripe.MostRows)
  private val taken = new Array[Int](Stripe.MostRows)

  private val rows = new RowsOfStripe(layout, columns)

  private def numbered(cut: Option[Cut]): Option[NumberedCut] =
    for (of <- words; c <- cut) yield new NumberedCut(c, keys, of)

  /** Returns the rows that the chunk takes from a stripe; null if there are none. */
  def of(stripe: Stripe): Stripe = {
    val count =
      if (numbers != null && numbers.load(stripe)) place(stripe.rows)
      else markAllUndecided(stripe.rows)
    if (count > 0) decide(stripe, count)
    var some = 0
    var i = 0
    while (i < stripe.rows) {
      taken(some) = i
      some += isTaken(i)
      i += 1
    }
    if (some == 0) null
    else if (some == stripe.rows) stripe
    else SelectedStripe(stripe, layout, taken, some)
  }

  private def markAllUndecided(rows: Int): Int = {
    var i = 0
    while (i < rows) {
      undecided(i) = i
      i += 1
    }
    rows
  }

  /**
   * Finds the rows that are taken and the rows to decide on. Returns the number of the latter. The
   * loop is branch-free, for the reason in NumberedCut.
   */
  private def place(rows: Int): Int = {
    cuts.foreach(_.load(numbers, rows))
    var count = 0
    var inner = 0
    var i = 0
    while (i < rows) {
      val isInner = innerUntil.isAfter(i) & ~innerFrom.isAfter(i)
      val isRelevant = relevantUntil.isAfter(i) & ~relevantFrom.isAfter(i)
      val taken = isInner & takesInner
      isTaken(i) = taken.toByte
      inner += taken
      undecided(count) = i
      count += isRelevant & ~isInner
      i += 1
    }
    if (inner > 0) chunk.addOwnRows(inner.toLong)
    count
  }

  private def decide(stripe: Stripe, count: Int): Unit = {
    rows.begin(stripe, undecided, count)
    var i = 0
    while (i < count) {
      isTaken(undecided(i)) = if (chunk.takes(rows.next())) 1 else 0
      i += 1
    }
  }
}

/** A cut, if there is one, and the side of it on which each row of a stripe is. */
private final class MarkedCut(cut: Option[NumberedCut], without: Byte) {

  /** 1 for each row that precedes the cut, else 0; constant without a cut. */
  val isAfter: Array[Byte] = Array.fill(Stripe.MostRows)(without)

  /** Begins with a stripe of `rows` rows. */
  def load(numbers: StripeNumbers, rows: Int): Unit = cut.foreach { c =>
    c.load(numbers)
    c.mark(numbers, rows, isAfter)
  }
}

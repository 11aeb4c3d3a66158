package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.exchange.{Layout, SelectedStripe, Stripe}
import org.apache.spark.sql.muntin.execution.sort.SortWords

/**
 * Picks the rows of a chunk and of its halo from stripes, in one pass. If the sort columns are
 * numbers, most rows only need a comparison with the cuts of the pass, column by column. Rows that
 * arrive in order do not even need that: a cut is on one side of all rows of a stripe. Only rows on
 * which the chunk has to decide are built, one by one.
 *
 *     cuts of the pass       heeded from     inner from      inner until     heeded until
 *     rows                10              30    40        50      60      80             90
 *                        ignored            decided        taken        decided     ignored
 *
 * @param columns
 *   the columns that the chunk reads from rows that it has to decide on
 */
private[split] final class StripePicks(
    chunk: ChunkRows,
    layout: Layout,
    order: Option[SortWords],
    keys: Int,
    columns: Set[Int]
) {
  private val pass = chunk.pass
  // None if the chunk has to decide on every row.
  private val words = order.filter { ofOrder =>
    val all = Seq(pass.heededFrom, pass.innerFrom, pass.innerUntil, pass.heededUntil).flatten
    NumberedCut.support(all, keys, ofOrder)
  }
  private val numbers = words.map(new StripeNumbers(_)).orNull
  private val heededFrom = new MarkedCut(numbered(pass.heededFrom), without = 0)
  private val innerFrom = new MarkedCut(numbered(pass.innerFrom), without = 0)
  private val innerUntil = new MarkedCut(numbered(pass.innerUntil), without = 1)
  private val heededUntil = new MarkedCut(numbered(pass.heededUntil), without = 1)
  private val cuts = Array(heededFrom, innerFrom, innerUntil, heededUntil)
  private val takesInner = if (pass.takesInner) 1 else 0

  // 1 for a taken row, else 0.
  private val isTaken = new Array[Byte](Stripe.MostRows)
  private val asked = new Array[Int](Stripe.MostRows)
  private val taken = new Array[Int](Stripe.MostRows)

  private val rows = new RowsOfStripe(layout, columns)

  private def numbered(cut: Option[Cut]): Option[NumberedCut] =
    for (of <- words; c <- cut) yield new NumberedCut(c, keys, of)

  /** Returns the rows that the chunk takes from a stripe; null if there are none. */
  def of(stripe: Stripe): Stripe = {
    val count =
      if (numbers != null && numbers.load(stripe)) place(stripe.rows) else askAll(stripe.rows)
    if (count > 0) ask(stripe, count)
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

  private def askAll(rows: Int): Int = {
    var i = 0
    while (i < rows) {
      asked(i) = i
      i += 1
    }
    rows
  }

  /**
   * Finds the rows that are taken and the rows to decide on. Returns the number of the latter. The
   * loop is branch-free, for the reason in NumberedCut.
   */
  private def place(rows: Int): Int = {
    cuts.foreach(_.meet(numbers, rows))
    var count = 0
    var inner = 0
    var i = 0
    while (i < rows) {
      val isInner = innerUntil.isBehind(i) & ~innerFrom.isBehind(i)
      val isHeeded = heededUntil.isBehind(i) & ~heededFrom.isBehind(i)
      val taken = isInner & takesInner
      isTaken(i) = taken.toByte
      inner += taken
      asked(count) = i
      count += isHeeded & ~isInner
      i += 1
    }
    if (inner > 0) chunk.takeOwn(inner.toLong)
    count
  }

  private def ask(stripe: Stripe, count: Int): Unit = {
    rows.begin(stripe, asked, count)
    var i = 0
    while (i < count) {
      isTaken(asked(i)) = if (chunk.takes(rows.next())) 1 else 0
      i += 1
    }
  }
}

/** A cut, if there is one, and the side of it on which each row of a stripe is. */
private final class MarkedCut(cut: Option[NumberedCut], without: Byte) {

  /** 1 for each row that precedes the cut, else 0; constant without a cut. */
  val isBehind: Array[Byte] = Array.fill(Stripe.MostRows)(without)

  /** Begins with a stripe of `rows` rows. */
  def meet(numbers: StripeNumbers, rows: Int): Unit = cut.foreach { c =>
    c.meet(numbers)
    c.mark(numbers, rows, isBehind)
  }
}

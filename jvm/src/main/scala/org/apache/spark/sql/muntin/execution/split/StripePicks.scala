package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.{Layout, SelectedStripe, Stripe, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.RowBatch
import org.apache.spark.sql.muntin.execution.sort.SortWords

/**
 * Rows come in stripes. Where the columns that rows are sorted by are numbers, most rows need no
 * more than to be compared with the cuts of the pass, column by column, and rows that came in their
 * order not even that: a cut lies beside all rows of a stripe. Only rows of which the chunk has to
 * know more are made, one by one.
 *
 *     cuts of the pass       heeded from     inner from      inner until     heeded until
 *     rows                10              30    40        50      60      80             90
 *                      left alone            asked          taken         asked      left alone
 *
 * @param columns
 *   the columns that the chunk looks at, of rows that it is asked about
 */
private[split] final class StripePicks(
    chunk: ChunkRows,
    layout: Layout,
    order: Option[SortWords],
    keys: Int,
    columns: Set[Int]
) extends ChunkPicks[Stripe] {
  private val pass = chunk.pass
  // Where rows have to be asked about, all of them, there are none.
  private val words = order.filter { ofOrder =>
    val all = Seq(pass.heededFrom, pass.innerFrom, pass.innerUntil, pass.heededUntil).flatten
    NumberedCut.support(all, keys, ofOrder)
  }
  private val numbers = words.map(new StripeNumbers(_)).orNull
  private def numbered(cut: Option[Cut]) =
    (for (of <- words; c <- cut) yield new NumberedCut(c, keys, of)).orNull
  private val heededFrom = numbered(pass.heededFrom)
  private val innerFrom = numbered(pass.innerFrom)
  private val innerUntil = numbered(pass.innerUntil)
  private val heededUntil = numbered(pass.heededUntil)
  private val cuts = Seq(heededFrom, innerFrom, innerUntil, heededUntil).filter(_ != null)

  private val isTaken = new Array[Boolean](Stripe.MostRows)
  private val asked = new Array[Int](Stripe.MostRows)
  private val taken = new Array[Int](Stripe.MostRows)

  private val rows = new StripeRows(layout)
  rows.leaveOut((0 until layout.size).filterNot(columns))
  private val batch = new RowBatch
  private val row = new UnsafeRow(layout.size)

  override def of(stripe: Stripe): Stripe = {
    val count =
      if (numbers != null && numbers.load(stripe)) place(stripe.rows) else askAll(stripe.rows)
    if (count > 0) ask(stripe, count)
    var some = 0
    var i = 0
    while (i < stripe.rows) {
      taken(some) = i
      if (isTaken(i)) some += 1
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

  /** Finds the rows that are taken, and those to be asked about; how many of these there are. */
  private def place(rows: Int): Int = {
    cuts.foreach(_.meet(numbers))
    var (count, inner, i) = (0, 0, 0)
    while (i < rows) {
      isTaken(i) = false
      if (innerFrom != null && innerFrom.isBehind(numbers, i)) {
        if (heededFrom == null || !heededFrom.isBehind(numbers, i)) {
          asked(count) = i
          count += 1
        }
      } else if (innerUntil != null && !innerUntil.isBehind(numbers, i)) {
        if (heededUntil == null || heededUntil.isBehind(numbers, i)) {
          asked(count) = i
          count += 1
        }
      } else if (pass.takesInner) {
        isTaken(i) = true
        inner += 1
      }
      i += 1
    }
    if (inner > 0) chunk.takeOwn(inner.toLong)
    count
  }

  private def ask(stripe: Stripe, count: Int): Unit = {
    rows.clear()
    rows.add(stripe)
    var next = 0
    while (next < count) {
      var i = next
      next = rows.copy(asked, next, count, batch)
      while (batch.hasNext) {
        batch.advance(row)
        isTaken(asked(i)) = chunk.takes(row)
        i += 1
      }
    }
  }
}

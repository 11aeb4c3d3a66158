package org.apache.spark.sql.muntin.execution.split

import java.lang.Long.compareUnsigned

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
  import StripePicks._

  private val pass = chunk.pass
  // null where rows have to be asked about, all of them.
  private val words = order.filter { ofOrder =>
    Seq(pass.heededFrom, pass.innerFrom, pass.innerUntil, pass.heededUntil).flatten
      .forall(c => ofOrder.missing(c.row, NumberedCut.size(c, keys, ofOrder)) == 0)
  }.orNull
  private def numbered(cut: Option[Cut]) =
    if (words == null) null else cut.map(new NumberedCut(_, keys, words)).orNull
  private val heededFrom = numbered(pass.heededFrom)
  private val innerFrom = numbered(pass.innerFrom)
  private val innerUntil = numbered(pass.innerUntil)
  private val heededUntil = numbered(pass.heededUntil)
  private val cuts = Seq(heededFrom, innerFrom, innerUntil, heededUntil).filter(_ != null)

  private val size = if (words == null) 0 else words.size
  private val numbers = Array.fill(size)(new Array[Long](Stripe.MostRows))
  // Of each column of a stripe.
  private val least = new Array[Long](size)
  private val most = new Array[Long](size)
  private val isTaken = new Array[Boolean](Stripe.MostRows)
  private val asked = new Array[Int](Stripe.MostRows)
  private val taken = new Array[Int](Stripe.MostRows)

  private val rows = new StripeRows(layout)
  rows.leaveOut((0 until layout.size).filterNot(columns))
  private val batch = new RowBatch
  private val row = new UnsafeRow(layout.size)

  override def of(stripe: Stripe): Stripe = {
    val count = if (haveNumbers(stripe)) place(stripe) else askAll(stripe)
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

  private def haveNumbers(stripe: Stripe): Boolean =
    words != null && words.columns.forall(c => stripe.nulls(c.ordinal) == null)

  private def askAll(stripe: Stripe): Int = {
    var i = 0
    while (i < stripe.rows) {
      asked(i) = i
      i += 1
    }
    stripe.rows
  }

  /** Finds the rows that are taken, and those to be asked about; how many of these there are. */
  private def place(stripe: Stripe): Int = {
    var column = 0
    while (column < words.size) {
      words.columns(column).write(stripe, 0, stripe.rows, numbers(column), 0)
      findEnds(column, stripe.rows)
      column += 1
    }
    cuts.foreach(_.meet(least, most))
    var (count, inner, i) = (0, 0, 0)
    while (i < stripe.rows) {
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

  private def findEnds(column: Int, rows: Int): Unit = {
    val ofColumn = numbers(column)
    var (low, high) = (Long.MaxValue, Long.MinValue)
    var i = 0
    while (i < rows) {
      val number = ofColumn(i) ^ Long.MinValue
      low = math.min(low, number)
      high = math.max(high, number)
      i += 1
    }
    least(column) = low ^ Long.MinValue
    most(column) = high ^ Long.MinValue
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

private object StripePicks {

  /** A cut, beside rows whose columns of the order are numbers. */
  private final class NumberedCut(cut: Cut, keys: Int, words: SortWords) {
    private val size = NumberedCut.size(cut, keys, words)
    private val numbers = Array.tabulate(size)(words.columns(_)(cut.row))
    private val holdsEqual = cut.side == Cut.AfterPeers || cut.side == Cut.AfterPartition

    // Of the rows that it has met: the first column in which not all have the cut's number, and
    // whether it lies beside them all, behind or before them.
    private var first = 0
    private var isBesideAll = false
    private var isBehindAll = false

    /** Rows come whose numbers lie between these, column by column. */
    def meet(least: Array[Long], most: Array[Long]): Unit = {
      first = 0
      while (first < size && least(first) == numbers(first) && most(first) == numbers(first))
        first += 1
      isBehindAll =
        if (first == size) holdsEqual else compareUnsigned(most(first), numbers(first)) < 0
      isBesideAll =
        first == size || isBehindAll || compareUnsigned(least(first), numbers(first)) > 0
    }

    /** Whether the cut lies behind the row at `i`. */
    def isBehind(rows: Array[Array[Long]], i: Int): Boolean =
      if (isBesideAll) isBehindAll
      else {
        var c = first
        while (c < size && rows(c)(i) == numbers(c)) c += 1
        if (c == size) holdsEqual else compareUnsigned(rows(c)(i), numbers(c)) < 0
      }
  }

  private object NumberedCut {

    /** How many columns of the order say whether a row lies before the cut. */
    def size(cut: Cut, keys: Int, words: SortWords): Int = cut.side match {
      case Cut.BeforePartition | Cut.AfterPartition => keys
      case Cut.BeforePeers | Cut.AfterPeers => words.size
    }
  }
}

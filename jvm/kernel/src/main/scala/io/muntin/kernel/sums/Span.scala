package io.muntin.kernel.sums

/**
 * The chunks in which values begin, as far as their sums tell: what a sum that was kept elsewhere
 * gives a Superaccumulator to know. A power of a value in chunk i begins in one of [k i, k i + k).
 *
 * Guarded by CompactSumSuite.
 */
private[kernel] final case class Span(lowest: Int, highest: Int) {
  def isEmpty: Boolean = highest < lowest

  def or(other: Span): Span =
    if (isEmpty) other
    else if (other.isEmpty) this
    else Span(math.min(lowest, other.lowest), math.max(highest, other.highest))
}

private[kernel] object Span {
  val Empty: Span = Span(0, -1)

  /** Of values whose `power`s, of so many pieces, sum up to `sum`, which is settled. */
  def of(sum: CompactSum, power: Int, pieces: Int): Span =
    if (sum.highest < sum.lowest) Empty
    else {
      val lowest = sum.lowest / power
      val above = sum.highest - power - pieces + 2
      Span(lowest, math.max(lowest, if (above <= 0) 0 else (above + power - 1) / power))
    }

  /**
   * The same of x and y, of which their own sums tell so much, and whose products sum up to so much:
   * these reach from the sum of the lowest chunks to five above that of the highest.
   */
  def ofProduct(x: Span, y: Span, products: CompactSum): (Span, Span) =
    if (products.highest < products.lowest) together(x, y)
    else {
      val a = if (x.isEmpty) Span(products.lowest / 2, products.lowest / 2) else x
      val b = if (y.isEmpty) Span(products.lowest / 2, products.lowest / 2) else y
      val below = math.max(0, a.lowest + b.lowest - products.lowest)
      val above = math.max(0, products.highest - 5 - a.highest - b.highest)
      val fromA = math.min(below, a.lowest)
      val toA = math.min(above, math.max(0, 63 - a.highest))
      together(
        Span(a.lowest - fromA, a.highest + toA),
        Span(b.lowest - (below - fromA), b.highest + (above - toA))
      )
    }

  /** Where one is beyond a Superaccumulator's own chunks, both are. */
  private def together(x: Span, y: Span): (Span, Span) =
    if (x.highest > 63 || y.highest > 63) (Span(0, 64), Span(0, 64)) else (x, y)
}

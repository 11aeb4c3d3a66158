package io.muntin.kernel.motions

/**
 * Chains of windows that arrive in any order, such as the order of their ends, while their starts
 * also move back and forth. A window is assigned to the chain with the latest start, of the chains
 * that neither begin nor end after the window. If windows are ordered by their ends, the number of
 * chains is minimal. Beyond `limit`, the chain with the latest start of all starts again: it fits
 * the fewest windows.
 *
 * Cost: per window an access to each chain; each row enters a chain again if the chain starts
 * again. Source: as Chains, mirrored. Guarded by ChainsSuite.
 */
final class UnorderedChains(make: Int => Chained, limit: Int = Chains.Limit)
    extends WindowChains(make, limit) {

  override protected def chosen(from: Long, until: Long): Int = {
    var fitting = -1
    var last = 0
    var i = 0
    while (i < made) {
      val chain = chains(i)
      if (chain.start <= from && chain.end <= until && (fitting < 0 || isBehind(i, fitting))) {
        fitting = i
      }
      if (isBehind(i, last)) last = i
      i += 1
    }
    if (fitting >= 0) fitting else if (made < limit) made else last
  }

  private def isBehind(i: Int, j: Int): Boolean =
    chains(i).start > chains(j).start ||
      (chains(i).start == chains(j).start && chains(i).end > chains(j).end)
}

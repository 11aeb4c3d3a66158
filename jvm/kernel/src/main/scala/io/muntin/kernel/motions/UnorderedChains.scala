package io.muntin.kernel.motions

/**
 * Chains of windows that come in any order, such as that of their last ends: the first ends go back
 * and forth too. A window goes to the chain that begins last among those that neither begin nor end
 * behind it. Where windows come by their last ends, there are as few chains as can be. Beyond
 * `limit` the chain that begins last of all starts again: it serves the fewest.
 *
 * Cost: per window a look at each chain; each row enters a chain again if the chain starts again.
 * Source: as Chains; this is its mirror image. Guarded by ChainsSuite.
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

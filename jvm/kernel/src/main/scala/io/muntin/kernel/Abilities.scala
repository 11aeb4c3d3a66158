package io.muntin.kernel

/**
 * Declares what an accumulator can do. Planning selects the accumulator for a frame by its
 * abilities, without building a kernel. The companion object of each accumulator declares them.
 *
 *     exact sum            saves, anyOrder, follows
 *     last value           saves, lastRowsOnly
 *     aligned blocks       blocks
 *     two stacks           (no ability: rows enter at the end, the oldest leave)
 *
 * Guarded by AbilitiesSuite: each accumulator has the abilities that it declares.
 *
 * @param name
 *   the name in EXPLAIN
 * @param saves
 *   the state stays small in a frame that no row leaves, and can replace the rows (`SavableState`)
 * @param anyOrder
 *   with `saves`: the state does not depend, to the last bit, on the order in which rows enter
 * @param lastRowsOnly
 *   with `saves`: only the last n rows count, and earlier rows are not required
 * @param follows
 *   rows after all other rows of the frame may enter first (`Followed`)
 * @param isNonMonotonic
 *   it computes the result of any window, directly (`NonMonotonic`) or from the prefixes up to both
 *   ends (`Prefixed`)
 * @param blocks
 *   it merges blocks of rows, and results depend on the row at which blocks begin (`BlockAligned`)
 * @param isStateless
 *   it stores nothing of the rows: results only depend on positions
 */
final case class Abilities(
    name: String,
    saves: Boolean = false,
    anyOrder: Boolean = false,
    lastRowsOnly: Boolean = false,
    follows: Boolean = false,
    isNonMonotonic: Boolean = false,
    blocks: Boolean = false,
    isStateless: Boolean = false
) {

  /** Returns these abilities under another name. */
  def withName(name: String): Abilities = copy(name = name)

  /**
   * The abilities of an aggregate over a frame with holes: one accumulator per piece, and a
   * combiner.
   */
  def byPiece: Abilities = Abilities(s"$name, by piece", blocks = blocks)
}

object Abilities {

  /** The abilities of a function that stores nothing of the rows, such as the size of the frame. */
  def stateless(name: String): Abilities = group(name).copy(isStateless = true)

  /** The abilities of counts and exact sums: a row that leaves undoes its effect exactly. */
  def group(name: String): Abilities =
    Abilities(name, saves = true, anyOrder = true, follows = true, isNonMonotonic = true)

  /** Returns the names of a function's accumulators, for EXPLAIN. */
  def names(all: Seq[Abilities]): String = all.map(_.name).distinct.mkString(", ")
}

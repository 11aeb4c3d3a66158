package io.muntin.kernel

/**
 * What an accumulator can do, as a value: planning reads abilities to find the accumulator for a
 * frame, and builds no kernel. The companion of each accumulator has the accumulator's abilities.
 *
 *     exact sum            saves, anyOrder, follows
 *     last value           saves, lastRowsOnly
 *     aligned blocks       blocks
 *     two stacks           (none: rows enter behind all others, the oldest leave)
 *
 * Guarded by AbilitiesSuite: each accumulator can do what its abilities say.
 *
 * @param name
 *   how EXPLAIN calls it
 * @param saves
 *   its state stays small in a frame that no row leaves, and can take the place of the rows
 *   (`SavableState`)
 * @param anyOrder
 *   of those that save: the state is the same in whatever order the rows enter, to the last bit
 * @param lastRowsOnly
 *   of those that save: only the last n rows count, so that earlier rows are not required
 * @param follows
 *   rows that lie behind all rows of the frame may come first (`Followed`)
 * @param isNonMonotonic
 *   it finds its result for a window wherever the window lies, by itself (`NonMonotonic`), or from
 *   what it holds up to each end (`Prefixed`)
 * @param blocks
 *   it merges blocks of rows, and results depend on the row that blocks begin with (`BlockAligned`)
 */
final case class Abilities(
    name: String,
    saves: Boolean = false,
    anyOrder: Boolean = false,
    lastRowsOnly: Boolean = false,
    follows: Boolean = false,
    isNonMonotonic: Boolean = false,
    blocks: Boolean = false
) {

  /** The same under another name. */
  def withName(name: String): Abilities = copy(name = name)

  /** One accumulator for each piece of a frame with holes, and one that joins the others. */
  def byPiece: Abilities = Abilities(s"$name, by piece", blocks = blocks)
}

object Abilities {

  /** The abilities of a function that keeps nothing of the rows, such as the size of the frame. */
  def stateless(name: String): Abilities = group(name)

  /** The abilities of counts and exact sums: a row that leaves takes back what it has added. */
  def group(name: String): Abilities =
    Abilities(name, saves = true, anyOrder = true, follows = true, isNonMonotonic = true)

  /** The accumulators of one function, for EXPLAIN. */
  def names(all: Seq[Abilities]): String = all.map(_.name).distinct.mkString(", ")
}

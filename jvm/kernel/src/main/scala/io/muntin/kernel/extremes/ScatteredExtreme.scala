package io.muntin.kernel.extremes

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, Longs, Slots}
import io.muntin.kernel.memory.Memory

/**
 * Picks the row with the greatest (`sign` 1) or least (`sign` -1) value in `order`, from rows in
 * slots, which leave in any order: min, max, min_by, max_by. Nulls in `order` are ignored. Among
 * equal values the row that arrived first wins, or with `latest` the row that arrived last.
 *
 * A tournament tree over the slots: each inner node holds the winners of its two children. A new
 * row moves up while it wins. When a row leaves, only the matches that it had won are replayed. So
 * most rows take a step or two, and no row takes more than the tree's height. (A skyline, the rows
 * that no later-ending row exceeds, has fewer rows, but must order rows by their ends.) If memory
 * is short, the parts of the tree that were not read recently are spilled.
 *
 * Cost per row: at most log2 of the number of rows in comparisons, about two if values are in
 * random order; 8 bytes. Source: tournament trees (Knuth, vol. 3, 5.2.3). Guarded by
 * ScatteredExtremeSuite.
 */
final class ScatteredExtreme(
    memory: Memory,
    slots: Slots,
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean
) extends Pick {
  import ScatteredExtreme._

  // Leaf `leaves + slot` is the slot. Entry n, from 1, has the winners at nodes 2n and 2n + 1; the
  // low half of entry 0 has the overall winner. A slot + 1, or 0.
  private val winners = new Longs(memory)
  private var leaves = InitialLeaves

  winners.makeRoom(leaves - 1)
  empty(0, leaves)

  override def position: Long = winner(1) - 1L

  override def anyOrder: Boolean = true

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!order.isNull(p)) come(p.toInt)
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!order.isNull(p)) go(p.toInt)
      p += 1
    }
  }

  private def come(slot: Int): Unit = {
    while (slot >= leaves) grow()
    val mine = slot + 1
    var node = leaves + slot
    put(node, mine)
    node >>= 1
    while (node > 0 && better(mine, winner(node)) == mine) {
      put(node, mine)
      node >>= 1
    }
  }

  private def go(slot: Int): Unit = {
    val mine = slot + 1
    var node = leaves + slot
    put(node, 0)
    node >>= 1
    while (node > 0 && winner(node) == mine) {
      val pair = winners(node)
      put(node, better((pair >> 32).toInt, pair.toInt))
      node >>= 1
    }
  }

  private def winner(node: Int): Int = (winners(node >> 1) >> halfOf(node)).toInt

  private def put(node: Int, winner: Int): Unit = {
    val half = halfOf(node)
    winners(node >> 1) = winners(node >> 1) & ~(0xffffffffL << half) | winner.toLong << half
  }

  private def better(a: Int, b: Int): Int =
    if (b == 0) a
    else if (a == 0) b
    else {
      val c = sign * order.compare(a - 1L, b - 1L)
      val first = if (c != 0) c > 0 else slots.number(a - 1) > slots.number(b - 1) == latest
      if (first) a else b
    }

  /** Doubles the tree: level by level, the old tree becomes the left half of the new tree. */
  private def grow(): Unit = {
    winners.makeRoom(2 * leaves - 1)
    val best = winner(1)
    var size = leaves / 2
    while (size > 0) {
      var i = 0
      while (i < size) {
        winners(2 * size + i) = winners(size + i)
        i += 1
      }
      empty(3 * size, 4 * size)
      size /= 2
    }
    winners(1) = best.toLong << 32
    leaves *= 2
  }

  private def empty(from: Int, until: Int): Unit = {
    var node = from
    while (node < until) {
      winners(node) = 0L
      node += 1
    }
  }

  override def clear(): Unit = {
    // Releases large structures: later groups may all be small.
    winners.shrink()
    leaves = InitialLeaves
    empty(0, leaves)
  }

  override def close(): Unit = winners.close()
}

object ScatteredExtreme {
  val abilities: Abilities = Abilities("tournament of rows")

  private val InitialLeaves = 64

  /** Returns the shift of a node's half of its entry. */
  private def halfOf(node: Int): Int = (~node & 1) << 5
}

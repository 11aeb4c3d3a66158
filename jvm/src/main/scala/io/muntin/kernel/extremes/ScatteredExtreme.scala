package io.muntin.kernel.extremes

import java.util

import io.muntin.kernel.columns.{Column, Slots}
import io.muntin.kernel.memory.Memory

/**
 * The row with the greatest (`sign` 1) or least (`sign` -1) value in `order` among rows in slots, which
 * leave in any order: min, max, min_by, max_by. Nulls in `order` do not take part. Among equals the
 * row that arrived first wins, or with `latest` the one that arrived last.
 *
 * A tournament over the slots: each inner node holds the winner of the two below it. A row that comes
 * goes up while it wins; where one leaves, only the matches that it had won are played again. So most
 * rows go a step or two, and no order of values or of ends makes it more than the height. (A skyline,
 * the rows that none outlasts and exceeds, holds fewer of them, but has to know when rows end and to
 * keep them ordered by it.)
 *
 * Cost per row: log2 of the rows there in comparisons at most, some two where values come in no
 * order; 8 bytes. Source: tournament trees (Knuth, vol. 3, 5.2.3). Guarded by ScatteredExtremeSuite.
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

  // Node n has the children 2n and 2n + 1; leaf `leaves + slot` is that slot. A slot + 1, or 0.
  private var leaves = InitialLeaves
  private var winners = new Array[Int](2 * leaves)

  memory.acquire(bytesOf(leaves))

  override def position: Long = winners(1) - 1L

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
    if (slot >= leaves) grow(slot)
    val mine = slot + 1
    winners(leaves + slot) = mine
    var node = (leaves + slot) >> 1
    while (node > 0 && better(mine, winners(node)) == mine) {
      winners(node) = mine
      node >>= 1
    }
  }

  private def go(slot: Int): Unit = {
    val mine = slot + 1
    winners(leaves + slot) = 0
    var node = (leaves + slot) >> 1
    while (node > 0 && winners(node) == mine) {
      winners(node) = better(winners(2 * node), winners(2 * node + 1))
      node >>= 1
    }
  }

  private def better(a: Int, b: Int): Int =
    if (b == 0) a
    else if (a == 0) b
    else {
      val c = sign * order.compare(a - 1L, b - 1L)
      val first = if (c != 0) c > 0 else slots.number(a - 1) > slots.number(b - 1) == latest
      if (first) a else b
    }

  private def grow(slot: Int): Unit = {
    val capacity = Integer.highestOneBit(slot) * 2
    memory.acquire(bytesOf(capacity))
    memory.release(bytesOf(leaves))
    val larger = new Array[Int](2 * capacity)
    System.arraycopy(winners, leaves, larger, capacity, leaves)
    var node = capacity - 1
    while (node > 0) {
      larger(node) = better(larger(2 * node), larger(2 * node + 1))
      node -= 1
    }
    winners = larger
    leaves = capacity
  }

  override def clear(): Unit =
    // What was large is made anew, small: the groups to come may all be small.
    if (leaves > InitialLeaves) {
      memory.release(bytesOf(leaves) - bytesOf(InitialLeaves))
      leaves = InitialLeaves
      winners = new Array[Int](2 * leaves)
    } else util.Arrays.fill(winners, 0)

  override def close(): Unit = memory.release(bytesOf(leaves))
}

private object ScatteredExtreme {
  private val InitialLeaves = 64

  private def bytesOf(leaves: Int): Long = 8L * leaves
}

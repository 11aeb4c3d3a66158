package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.{ArrayDeque, TreeMap}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The anchors of one key that come out in their order: an anchor that has its result waits for
 * those before it.
 *
 *     heard at 10, 12, 20; due at 30, 14, 21      results of 12 and 20 wait, and come after 10's
 *
 * `fields`: how many columns a result has.
 */
private final class HeldAnchors(fields: Int) {
  import HeldAnchors._

  private val turns = new TreeMap[Turn, Waiting](Turn.order)

  def clear(): Unit = turns.clear()

  def isEmpty: Boolean = turns.isEmpty

  /** An anchor comes at its own time. */
  def hear(turn: Turn): Unit = waiting(turn).heard += 1

  /** An anchor that has been heard has its result. */
  def answer(turn: Turn, result: UnsafeRow): Unit =
    waiting(turn).results.add(result.copy()): Unit

  /** The next result whose turn it is; null where there is none. */
  def next(): UnsafeRow =
    if (turns.isEmpty) null
    else {
      val first = turns.firstEntry.getValue
      val result = first.results.poll()
      if (result != null) {
        first.heard -= 1
        if (first.heard == 0) turns.pollFirstEntry(): Unit
      }
      result
    }

  private def waiting(turn: Turn): Waiting = turns.computeIfAbsent(turn, _ => new Waiting)

  def write(out: DataOutput): Unit = {
    out.writeInt(turns.size)
    turns.forEach { (turn, waiting) =>
      out.writeLong(turn.time)
      out.writeLong(turn.start)
      out.writeLong(turn.end)
      out.writeInt(waiting.heard)
      out.writeInt(waiting.results.size)
      waiting.results.forEach { row =>
        out.writeInt(row.getSizeInBytes)
        out.write(row.getBytes)
      }
    }
  }

  def read(in: DataInput): Unit = (0 until in.readInt()).foreach { _ =>
    val of = waiting(Turn(in.readLong(), in.readLong(), in.readLong()))
    of.heard = in.readInt()
    (0 until in.readInt()).foreach { _ =>
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      val row = new UnsafeRow(fields)
      row.pointTo(bytes, bytes.length)
      of.results.add(row)
    }
  }
}

private object HeldAnchors {

  /** By which anchors are earlier and later: their own time, and the ends of their windows. */
  final case class Turn(time: Long, start: Long, end: Long)

  object Turn {
    val order: Ordering[Turn] = Ordering.by(t => (t.time, t.start, t.end))
  }

  /** Anchors of one turn: how many have not come out, and the results of those that could. */
  private final class Waiting {
    var heard = 0
    val results = new ArrayDeque[UnsafeRow]
  }
}

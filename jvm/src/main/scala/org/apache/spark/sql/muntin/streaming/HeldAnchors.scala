package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.{ArrayDeque, TreeMap}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Buffers the results of one key's anchors, to emit them in the anchors' order. A result waits for
 * the results of earlier anchors.
 *
 *     announced at 10, 12, 20; due at 30, 14, 21  results of 12 and 20 wait, and come after 10's
 *
 * `fields`: the number of columns of a result.
 */
private final class HeldAnchors(fields: Int) {
  import HeldAnchors._

  private val turns = new TreeMap[Turn, Waiting](Turn.order)

  def clear(): Unit = turns.clear()

  def isEmpty: Boolean = turns.isEmpty

  /** Announces an anchor, at its own time. */
  def hear(turn: Turn): Unit = waiting(turn).heard += 1

  /** Adds the result of an announced anchor. */
  def answer(turn: Turn, result: UnsafeRow): Unit =
    waiting(turn).results.add(result.copy()): Unit

  /** Returns the next result in order; null if it is not there yet. */
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

  /** The position of an anchor in the order: its own time, and the start and end of its window. */
  final case class Turn(time: Long, start: Long, end: Long)

  object Turn {
    val order: Ordering[Turn] = Ordering.by(t => (t.time, t.start, t.end))
  }

  /** The anchors of one turn: how many have not been emitted, and the results that are ready. */
  private final class Waiting {
    var heard = 0
    val results = new ArrayDeque[UnsafeRow]
  }
}

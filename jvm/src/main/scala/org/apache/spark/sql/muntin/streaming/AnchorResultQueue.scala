package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.{ArrayDeque, TreeMap}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Buffers the results of one key's anchors, to emit them in the anchors' order. A result waits for
 * the results of earlier anchors.
 *
 *     announced at 10, 12, 20; due at 30, 14, 21  results of 12 and 20 wait for 10's
 *
 * `fields`: the number of columns of a result.
 */
private final class AnchorResultQueue(fields: Int) {
  import AnchorResultQueue._

  private val positions = new TreeMap[AnchorPosition, PendingResults](AnchorPosition.order)

  def clear(): Unit = positions.clear()

  def isEmpty: Boolean = positions.isEmpty

  /** Announces an anchor, at its own time. */
  def announce(position: AnchorPosition): Unit = pendingAt(position).announced += 1

  /** Adds the result of an announced anchor. */
  def addResult(position: AnchorPosition, result: UnsafeRow): Unit =
    pendingAt(position).results.add(result.copy()): Unit

  /** Returns the next result in order; null if it is not ready yet. */
  def next(): UnsafeRow =
    if (positions.isEmpty) null
    else {
      val first = positions.firstEntry.getValue
      val result = first.results.poll()
      if (result != null) {
        first.announced -= 1
        if (first.announced == 0) positions.pollFirstEntry(): Unit
      }
      result
    }

  private def pendingAt(position: AnchorPosition): PendingResults =
    positions.computeIfAbsent(position, _ => new PendingResults)

  def write(out: DataOutput): Unit = {
    out.writeInt(positions.size)
    positions.forEach { (position, pending) =>
      out.writeLong(position.time)
      out.writeLong(position.start)
      out.writeLong(position.end)
      out.writeInt(pending.announced)
      out.writeInt(pending.results.size)
      pending.results.forEach { row =>
        out.writeInt(row.getSizeInBytes)
        out.write(row.getBytes)
      }
    }
  }

  def read(in: DataInput): Unit = (0 until in.readInt()).foreach { _ =>
    val pending = pendingAt(AnchorPosition(in.readLong(), in.readLong(), in.readLong()))
    pending.announced = in.readInt()
    (0 until in.readInt()).foreach { _ =>
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      val row = new UnsafeRow(fields)
      row.pointTo(bytes, bytes.length)
      pending.results.add(row)
    }
  }
}

private object AnchorResultQueue {

  /** The position of an anchor in the order: its own time, and the start and end of its window. */
  final case class AnchorPosition(time: Long, start: Long, end: Long)

  object AnchorPosition {
    val order: Ordering[AnchorPosition] = Ordering.by(t => (t.time, t.start, t.end))
  }

  /** The anchors of one turn: how many have not been emitted, and the results that are ready. */
  private final class PendingResults {
    var announced = 0
    val results = new ArrayDeque[UnsafeRow]
  }
}

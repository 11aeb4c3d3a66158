package io.muntin.kernel.extremes

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, SavableState}
import io.muntin.kernel.columns.Column

/**
 * SlidingNth's result for a frame that only grows. It has n cells if n counts from the end, else
 * one cell. Guarded by NthSuite.
 */
final class RunningNth(source: Column, present: Option[Column], n: Int)
    extends Pick
    with SavableState {
  private val marks: Column = present.orNull
  private val ringSize = if (n > 0) 1 else -n
  override val values: Column = source.cells(ringSize)
  private var nonNulls = 0L

  private def filled: Long = if (n > 0) { if (nonNulls >= n) 1L else 0L }
  else math.min(nonNulls, ringSize.toLong)

  override def forgets: Boolean = n < 0

  override def save(out: DataOutput): Unit = {
    out.writeLong(nonNulls)
    var cell = 0L
    while (cell < filled) {
      values.save(cell, out)
      cell += 1
    }
  }

  override def restore(in: DataInput): Unit = {
    nonNulls = in.readLong()
    var cell = 0L
    while (cell < filled) {
      values.restore(cell, in)
      cell += 1
    }
  }

  override def clear(): Unit = nonNulls = 0L

  override def enter(from: Long, until: Long): Unit =
    if (n > 0) enterUntilFound(from, until) else enterLast(from, until)

  private def enterUntilFound(from: Long, until: Long): Unit = {
    var p = from
    while (p < until && nonNulls < n) {
      if (marks == null || !marks.isNull(p)) {
        nonNulls += 1
        if (nonNulls == n) values.set(0L, source, p)
      }
      p += 1
    }
  }

  private def enterLast(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (marks == null || !marks.isNull(p)) {
        values.set(nonNulls % ringSize, source, p)
        nonNulls += 1
      }
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def position: Long =
    if (n > 0) { if (nonNulls >= n) 0L else Pick.None }
    else if (nonNulls < ringSize) Pick.None
    else nonNulls % ringSize

  override def close(): Unit = values.close()
}

object RunningNth {
  def abilities(n: Int): Abilities = Abilities(
    if (n == 1) "first position" else "cells of positions",
    saves = true,
    lastRowsOnly = n < 0
  )
}

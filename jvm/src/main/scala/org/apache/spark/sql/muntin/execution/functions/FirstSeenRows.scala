package org.apache.spark.sql.muntin.execution.functions

import java.util

import io.muntin.kernel.columns.Slots
import io.muntin.kernel.distinct.{FirstOfValues, FirstRows, FirstRowsOfPieces, FirstSeen, Tally}
import io.muntin.kernel.memory.Memory

/** Finds the first row with each value in a frame; once for each frame and tally. */
private object FirstSeenRows {

  /** Returns the first row of the frame with the value that has a code in a tally. */
  def ofValues(frame: FrameBuilder, key: TallyKey): (Tally, Int) => Long = frame.slots match {
    case Some(slots) =>
      val rows = linked(frame, key, slots)
      (_, code) => rows.first(code)
    case None =>
      val rows = inFrame(frame, key)
      rows.first
  }

  /** Returns all first rows, in their order. */
  def listed(frame: FrameBuilder, key: TallyKey): FirstRowsSearch = frame.slots match {
    case Some(slots) => new LinkedFirsts(linked(frame, key, slots))
    case None => new RepeatedSearch(frame.memory, inFrame(frame, key))
  }

  private def linked(frame: FrameBuilder, key: TallyKey, slots: Slots): FirstOfValues =
    frame.shared(("first seen", key))(new FirstOfValues(frame.memory, key.build(frame), slots))

  private def inFrame(frame: FrameBuilder, key: TallyKey): FirstRows =
    if (!frame.hasHoles) of(frame, key)
    else {
      val tallies = frame.pieces.map(key.build).toArray[Tally]
      new FirstRowsOfPieces(tallies, frame.pieces.map(of(_, key)).toArray)
    }

  private def of(frame: FrameBuilder, key: TallyKey): FirstSeen =
    frame.shared(("first seen", key))(new FirstSeen(frame.memory, key.build(frame)))
}

/** Rows that are searched again for each result. */
private abstract class FirstRowsSearch {
  def find(): Unit
  def size: Int
  def apply(i: Int): Long
}

private final class LinkedFirsts(rows: FirstOfValues) extends FirstRowsSearch {
  override def find(): Unit = rows.refresh()

  override def size: Int = rows.size

  override def apply(i: Int): Long = rows(i)
}

private final class RepeatedSearch(memory: Memory, seen: FirstRows) extends FirstRowsSearch {
  private var rows = new Array[Long](RepeatedSearch.InitialCapacity)
  private var count = 0

  memory.acquire(8L * rows.length)

  override def size: Int = count

  override def apply(i: Int): Long = rows(i)

  override def find(): Unit = {
    count = 0
    var row = seen.from(0L)
    while (row >= 0L) {
      if (count == rows.length) grow()
      rows(count) = row
      count += 1
      row = seen.from(row + 1)
    }
  }

  private def grow(): Unit = {
    memory.acquire(16L * rows.length)
    memory.release(8L * rows.length)
    rows = util.Arrays.copyOf(rows, rows.length * 2)
  }
}

private object RepeatedSearch {
  private val InitialCapacity = 64
}

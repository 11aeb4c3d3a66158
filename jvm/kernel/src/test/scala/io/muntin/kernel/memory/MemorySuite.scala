package io.muntin.kernel.memory

import io.muntin.kernel.{Accumulator, CountingMemory, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.extremes.{RunningExtreme, RunningNth, SlidingExtreme, SlidingNth}
import io.muntin.kernel.ranks.{DoubleRanks, PositionRanks}
import io.muntin.kernel.sums.BitMerge

/** For any rejected request, a closed structure releases all of its memory. */
class MemorySuite extends MuntinSuite {
  import MemorySuite._

  law("SlidingExtreme", Kind.longs, evicts = true)((m, c) => new SlidingExtreme(m, c, c, 1, false))

  law("SlidingExtreme of many blocks", Kind.longs, evicts = true) { (memory, column) =>
    new SlidingExtreme(memory, column, column, 1, false, block = 8)
  }

  law("BitMerge", Kind.longs, evicts = true) { (memory, column) =>
    new BitMerge(memory, column.asInstanceOf[LongColumn], and = true)
  }

  law("BitMerge of many blocks", Kind.longs, evicts = true) { (memory, column) =>
    new BitMerge(memory, column.asInstanceOf[LongColumn], and = true, block = 8)
  }

  law("SlidingNth", Kind.longs, evicts = true)((m, c) => new SlidingNth(m, c, Some(c), 3))

  law("RunningExtreme", Kind.strings, evicts = false)((_, c) => new RunningExtreme(c, c, 1, false))

  law("RunningNth", Kind.strings, evicts = false)((_, c) => new RunningNth(c, Some(c), -3))

  law("DoubleRanks", Kind.doubles, evicts = true) { (memory, column) =>
    new DoubleRanks(memory, column.asInstanceOf[DoubleColumn], 16)
  }

  law("PositionRanks", Kind.strings, evicts = true)(new PositionRanks(_, _, true, 16))

  law("PositionRanks of its own", Kind.strings, evicts = false)(new PositionRanks(_, _, false, 16))

  private def law[A](name: String, kind: Kind[A], evicts: Boolean)(
      make: (Memory, Column) => Accumulator
  ): Unit = test(name) {
    // A generator may return nothing, so it is called again.
    val value = Iterator.continually(kind.value.sample).flatten.next()

    def run(memory: Memory): Unit = {
      val column = kind.column(memory)
      column.addReader(new Column.Reader { override def floor: Long = 0L })
      try {
        val accumulator = make(memory, column)
        try
          (0L until Rows).foreach { p =>
            kind.append(column, if (p % 3 == 0) None else Some(value))
            accumulator.enter(p, p + 1)
            // The frame grows to half of the rows, then shrinks to two.
            val left = 2 * p - Rows
            if (evicts && left >= 0 && p < Rows - 1) accumulator.leave(left, left + 2)
          }
        finally accumulator.close()
      } finally column.close()
    }

    val counting = new CountingMemory
    run(counting)
    assert(counting.held === 0L)
    assert(counting.requests >= 5)
    (1 to counting.requests).foreach { k =>
      val memory = new CountingMemory(k)
      assertThrows[CountingMemory.Refused](run(memory))
      assert(memory.held === 0L, s"after request $k of ${counting.requests}")
    }
  }
}

object MemorySuite {
  private val Rows = 1000L
}

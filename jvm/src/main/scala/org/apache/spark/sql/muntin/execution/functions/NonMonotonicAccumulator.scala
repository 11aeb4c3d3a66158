package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.{Accumulator, NonMonotonic}
import io.muntin.kernel.sums.{NonMonotonicSums, Prefixed}

/** Lets a frame whose windows move back and forth drive an accumulator. */
private[execution] object NonMonotonicAccumulator {
  def apply(accumulator: Accumulator, frame: FrameBuilder): NonMonotonic = accumulator match {
    case leaping: NonMonotonic => leaping
    case sums: Prefixed => new NonMonotonicSums(frame.memory, sums, frame.motion)
    case other => throw new IllegalStateException(s"${other.getClass} is not NonMonotonic")
  }
}

package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.{Accumulator, Leaping}
import io.muntin.kernel.sums.{LeapingSums, Prefixed}

/** Lets a frame whose windows move back and forth drive an accumulator. */
private[execution] object LeapingAccumulator {
  def apply(accumulator: Accumulator, frame: FrameBuilder): Leaping = accumulator match {
    case leaping: Leaping => leaping
    case sums: Prefixed => new LeapingSums(frame.memory, sums, frame.motion)
    case other => throw new IllegalStateException(s"${other.getClass} does not leap")
  }
}

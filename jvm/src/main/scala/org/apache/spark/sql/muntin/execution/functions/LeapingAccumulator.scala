package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.{Accumulator, Leaping}
import io.muntin.kernel.sums.{LeapingSums, Prefixed}

/** What a frame whose windows go back and forth drives, so that an accumulator has the results. */
private[execution] object LeapingAccumulator {
  def apply(accumulator: Accumulator, frame: FrameBuilder): Leaping = accumulator match {
    case leaping: Leaping => leaping
    case sums: Prefixed => new LeapingSums(frame.memory, sums, frame.motion)
    case other => throw new IllegalStateException(s"${other.getClass} does not leap")
  }
}

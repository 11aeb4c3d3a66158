package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.functions.{FrameBuilder, FrameView}
import io.muntin.kernel.Accumulator
import io.muntin.kernel.motions.Motion

/** Builds the `index`-th piece of a frame with holes, as a separate frame. */
private[execution] final class PieceBuilder(
    frame: FrameBuilder,
    override val motion: Motion,
    index: Int
) extends FrameView(frame) {
  override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A =
    shared(key) {
      val made = make
      drive(made)
      made
    }

  override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
    frame.shared(("piece", index, key))(make)
}

package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.Accumulator

/**
 * An aggregate into which rows can be folded, one after the other; nothing else is known of it. It
 * has one partial in hand at a time, from which the function that made the fold computes its value.
 */
abstract class Fold {

  /** Takes up the partial of no rows, in the place of what was in hand. */
  def zero(): Unit

  /** Adds the row at a position, which comes after the rows of the partial in hand. */
  def update(position: Long): Unit

  final def update(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      update(p)
      p += 1
    }
  }
}

/**
 * An aggregate whose partials can be merged. A partial that is kept is frozen: it does not change
 * when the partial in hand changes, and how much memory it takes is known.
 */
abstract class Partials[F <: AnyRef] extends Fold {

  /** A frozen copy of the partial in hand. */
  def freeze(): F

  /** Takes up a copy of a frozen partial. */
  def thaw(frozen: F): Unit

  /** Adds the rows of a frozen partial, which come after those of the partial in hand. */
  def merge(frozen: F): Unit

  /** The bytes that a frozen partial takes. */
  def sizeOf(frozen: F): Long

  /** Writes a frozen partial for `read`. */
  def write(frozen: F, out: DataOutput): Unit

  def read(in: DataInput): F

  /** Whether rows can be added to a partial that was thawed or merged. */
  def updatesMerged: Boolean

  /**
   * Whether the bytes of a partial do not grow with the rows, and rows can be added to a partial
   * that was read.
   */
  def isSaved: Boolean = false

  /** Writes the partial in hand. */
  final def save(out: DataOutput): Unit = write(freeze(), out)

  /** Takes up the partial that was saved, in the place of what was in hand. */
  final def restore(in: DataInput): Unit = thaw(read(in))
}

/** An aggregate that can take a row back out. */
abstract class Retraction extends Fold {

  /** Takes the row at a position, the oldest in it, back out of the partial in hand. */
  def retract(position: Long): Unit
}

/** An accumulator whose result is the partial of the rows in the frame, taken in hand. */
abstract class FrameFold extends Accumulator {

  /** Takes the partial of the frame's rows in hand. */
  def refresh(): Unit
}

package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.Accumulator

/**
 * An aggregate into which rows can be folded, one after the other. It has one current partial, from
 * which the function that created the fold computes the value.
 */
abstract class Fold {

  /** Replaces the current partial by the partial of no rows. */
  def zero(): Unit

  /** Adds the row at a position, which follows the rows of the current partial. */
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
 * An aggregate whose partials can be merged. A stored partial is frozen: it does not change with
 * the current partial, and its memory is known.
 */
abstract class Partials[F <: AnyRef] extends Fold {

  /** Returns a frozen copy of the current partial. */
  def freeze(): F

  /** Replaces the current partial by a copy of a frozen partial. */
  def thaw(frozen: F): Unit

  /** Adds the rows of a frozen partial, which follow the rows of the current partial. */
  def merge(frozen: F): Unit

  /** Returns the bytes that a frozen partial takes. */
  def sizeOf(frozen: F): Long

  /** Writes a frozen partial for `read`. */
  def write(frozen: F, out: DataOutput): Unit

  def read(in: DataInput): F

  /** True if rows can be added to a partial that was thawed or merged. */
  def updatesMerged: Boolean

  /**
   * True if the size of a partial does not grow with the rows, and rows can be added to a restored
   * partial.
   */
  def isSaved: Boolean = false

  /** Writes the current partial. */
  final def save(out: DataOutput): Unit = write(freeze(), out)

  /** Replaces the current partial by the saved partial. */
  final def restore(in: DataInput): Unit = thaw(read(in))
}

/** An aggregate that can retract rows. */
abstract class Retraction extends Fold {

  /** Retracts the row at a position, the oldest, from the current partial. */
  def retract(position: Long): Unit
}

/** An accumulator whose result is the partial of the rows in the frame, as the current partial. */
abstract class FrameFold extends Accumulator {

  /** Computes the frame's partial, and makes it current. */
  def refresh(): Unit
}

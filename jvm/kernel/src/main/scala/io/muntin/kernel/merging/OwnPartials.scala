package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

/** What an aggregate of the kernel's keeps of rows: an object that is changed in place. */
trait OwnPartial[F] {

  /** Becomes the partial of no rows. */
  def clear(): Unit

  /** Becomes a copy of another partial of the same kind. */
  def become(other: F): Unit

  /** Adds the rows of `later`, which come after its own. */
  def merge(later: F): Unit

  /** The bytes that it takes. */
  def size: Long

  def save(out: DataOutput): Unit

  /** Becomes what was saved. */
  def restore(in: DataInput): Unit
}

/**
 * The partials of an aggregate of the kernel's: the one in hand is `hand`, for whoever reads the
 * result. Rows can be added to any partial, and one that was read again is what was written.
 */
abstract class OwnPartials[F <: OwnPartial[F]](val hand: F) extends Partials[F] with SavedFold {

  protected def make(): F

  final override def zero(): Unit = hand.clear()

  final override def freeze(): F = {
    val frozen = make()
    frozen.become(hand)
    frozen
  }

  final override def thaw(frozen: F): Unit = hand.become(frozen)

  final override def merge(frozen: F): Unit = hand.merge(frozen)

  final override def sizeOf(frozen: F): Long = frozen.size

  final override def write(frozen: F, out: DataOutput): Unit = frozen.save(out)

  final override def read(in: DataInput): F = {
    val partial = make()
    partial.restore(in)
    partial
  }

  final override def updatesMerged: Boolean = true

  override def isSaved: Boolean = true

  final override def save(out: DataOutput): Unit = hand.save(out)

  final override def restore(in: DataInput): Unit = hand.restore(in)
}

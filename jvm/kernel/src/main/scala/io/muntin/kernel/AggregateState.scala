package io.muntin.kernel

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  DataInput,
  DataInputStream,
  DataOutput,
  DataOutputStream
}

/**
 * What an aggregate keeps of rows, and the one way in which it is written and read: an object that
 * is changed in place.
 *
 *     streams            the accumulators of a group, in the group's head     Saved
 *     blocks on disk     the partials of blocks, in pages                     Partials
 *     stored partials    a field each, as bytes                               toBytes
 *     Spark's GROUP BY   the aggregate's buffer, as bytes                     toBytes
 *
 * The head of a group has the number of the layout of all that is in it. Bytes have it themselves:
 * those of layout 1 begin with a byte that is not negative, as Spark's rows of few fields do, those
 * of a later layout with the number of the layout, negated.
 *
 * Guarded by SavableStateSuite and AggregateStateSuite: rows can be added to a state that was read
 * as to the state that was written.
 */
trait AggregateState {

  /** Becomes the state of no rows. */
  def clear(): Unit

  def save(out: DataOutput): Unit

  /** Becomes the state that was saved, in the place of anything it held. */
  def restore(in: DataInput): Unit
}

/** A state that takes in the state of later rows. */
trait MergeableState[S] extends AggregateState {

  /** Becomes a copy of another state of the same kind. */
  def copyFrom(other: S): Unit

  /** Adds the rows of `later`, which come after its own. */
  def merge(later: S): Unit

  /** The bytes that it takes in memory. */
  def size: Long
}

object AggregateState {
  def toBytes(state: AggregateState): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    state.save(new DataOutputStream(bytes))
    bytes.toByteArray
  }

  /** Makes `state` what the bytes are. */
  def ofBytes[S <: AggregateState](bytes: Array[Byte], state: S): S = {
    checkLayout(bytes)
    state.restore(new DataInputStream(new ByteArrayInputStream(bytes)))
    state
  }

  /** Throws IllegalArgumentException if the bytes have a later layout. */
  def checkLayout(bytes: Array[Byte]): Unit =
    if (bytes.nonEmpty && bytes(0) < 0) throw new IllegalArgumentException(
      s"a state of the layout ${-bytes(0)}, written by a newer Muntin; this one reads the layout 1"
    )
}

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
 * The mutable state of an aggregate, and its serialization.
 *
 *     streams            the accumulators of a group, in the group's head     save
 *     blocks on disk     the partials of blocks, in pages                     Partials
 *     stored partials    one field each, as bytes                             toBytes
 *     Spark's GROUP BY   the aggregate's buffer, as bytes                     toBytes
 *
 * The head of a group contains the number of its layout. Bytes contain it themselves: layout 1
 * begins with a non-negative byte, as Spark's rows of few fields do; a later layout begins with its
 * negated number.
 *
 * Guarded by SavableStateSuite and AggregateStateSuite: adding rows to a restored state gives the
 * same results as adding them to the original.
 */
trait AggregateState {

  /** Resets the state to that without rows. */
  def clear(): Unit

  def save(out: DataOutput): Unit

  /** Replaces the state by the saved state. */
  def restore(in: DataInput): Unit
}

/** A state that can merge the state of later rows. */
trait MergeableState[S] extends AggregateState {

  /** Replaces the state by a copy of another state of the same kind. */
  def copyFrom(other: S): Unit

  /** Adds the rows of `later`, which follow the rows of this state. */
  def merge(later: S): Unit

  /** Returns the bytes that the state takes in memory. */
  def size: Long
}

object AggregateState {
  def toBytes(state: AggregateState): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    state.save(new DataOutputStream(bytes))
    bytes.toByteArray
  }

  /** Deserializes the bytes into `state`, and returns it. */
  def ofBytes[S <: AggregateState](bytes: Array[Byte], state: S): S = {
    checkLayout(bytes)
    state.restore(new DataInputStream(new ByteArrayInputStream(bytes)))
    state
  }

  /** Throws IllegalArgumentException if the bytes have a later layout. */
  def checkLayout(bytes: Array[Byte]): Unit =
    if (bytes.nonEmpty && bytes(0) < 0) throw new IllegalArgumentException(
      s"a state of layout ${-bytes(0)}, written by a newer Muntin; this version reads layout 1"
    )
}

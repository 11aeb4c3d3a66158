package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.MergeableState

/**
 * The partials of a kernel's own aggregate. `current` is the current partial, from which the result
 * is read. Rows can be added to any partial, and a restored partial equals the written partial.
 */
abstract class KernelPartials[S <: MergeableState[S]](val current: S) extends Partials[S] {

  protected def make(): S

  final override def zero(): Unit = current.clear()

  final override def freeze(): S = {
    val frozen = make()
    frozen.copyFrom(current)
    frozen
  }

  final override def thaw(frozen: S): Unit = current.copyFrom(frozen)

  final override def merge(frozen: S): Unit = current.merge(frozen)

  final override def sizeOf(frozen: S): Long = frozen.size

  final override def write(frozen: S, out: DataOutput): Unit = frozen.save(out)

  final override def read(in: DataInput): S = {
    val partial = make()
    partial.restore(in)
    partial
  }

  final override def updatesMerged: Boolean = true

  final override def isSaved: Boolean = true
}

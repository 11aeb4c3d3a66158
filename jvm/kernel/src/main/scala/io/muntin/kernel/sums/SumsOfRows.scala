package io.muntin.kernel.sums

import io.muntin.kernel.columns.LongColumn

/**
 * Joint sums that follow the rows of a frame.
 *
 * Guarded by MomentsSuite and ComomentsSuite.
 */
abstract class SumsOfRows[S <: JointSums](val sums: S) extends ExactSums {
  final override def count: Long = sums.count

  final override def clear(): Unit = sums.clear()

  final override def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    leave(start, newStart)
    enter(end, newEnd)
  }

  final override private[kernel] def kinds: Seq[ChunkSum.Kind] = sums.kinds

  final override def keep(i: Int, target: ChunkSum): Unit = sums.keep(i, target)

  final override def restore(count: Long, saved: Array[ChunkSum]): Unit = sums.restore(count, saved)

  final override private[kernel] def write(to: LongColumn): Unit = sums.write(to)

  final override private[kernel] def read(written: LongColumn, at: Long): Unit =
    sums.read(written, at)

  final override private[kernel] def take(written: LongColumn, at: Long): Unit =
    sums.take(written, at)
}

package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, MergeableState, SavableState}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

/** The number of values in each of some buckets, numbered from 0. */
final class BucketCounts(buckets: Int) extends MergeableState[BucketCounts] {
  private val counts = new Array[Long](buckets)

  def apply(bucket: Int): Long = counts(bucket)

  def change(bucket: Int, by: Long): Unit = counts(bucket) += by

  override def clear(): Unit = java.util.Arrays.fill(counts, 0L)

  override def copyFrom(other: BucketCounts): Unit =
    System.arraycopy(other.counts, 0, counts, 0, buckets)

  override def merge(later: BucketCounts): Unit = {
    var i = 0
    while (i < buckets) {
      counts(i) += later.counts(i)
      i += 1
    }
  }

  override def size: Long = BucketCounts.bytes(buckets)

  override def save(out: DataOutput): Unit = counts.foreach(out.writeLong)

  override def restore(in: DataInput): Unit =
    counts.indices.foreach(i => counts(i) = in.readLong())
}

private object BucketCounts {
  def bytes(buckets: Int): Long = 40L + 8L * buckets
}

/**
 * A histogram: the number of the frame's values in each bucket. A column has the bucket number of
 * each value.
 *
 *     buckets of the values  0 2 2 1      counts  1 1 2
 *     the oldest leaves        2 2 1      counts  0 1 2
 *
 * Cost per row: one addition, and one subtraction. Guarded by BucketCounterSuite.
 */
final class BucketCounter(memory: Memory, column: LongColumn, buckets: Int)
    extends Prefixed
    with SavableState {
  memory.acquire(BucketCounts.bytes(buckets))

  val counts = new BucketCounts(buckets)

  override def clear(): Unit = counts.clear()

  override def enter(from: Long, until: Long): Unit = change(from, until, 1L)

  override def leave(from: Long, until: Long): Unit = change(from, until, -1L)

  private def change(from: Long, until: Long, by: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) counts.change(column(p).toInt, by)
      p += 1
    }
  }

  override def save(out: DataOutput): Unit = counts.save(out)

  override def restore(in: DataInput): Unit = counts.restore(in)

  override private[kernel] def write(to: LongColumn): Unit = {
    var i = 0
    while (i < buckets) {
      to.append(counts(i))
      i += 1
    }
  }

  override private[kernel] def read(written: LongColumn, at: Long): Unit = {
    clear()
    add(written, at, 1L)
  }

  override private[kernel] def take(written: LongColumn, at: Long): Unit = add(written, at, -1L)

  private def add(written: LongColumn, at: Long, sign: Long): Unit = {
    var i = 0
    while (i < buckets) {
      counts.change(i, sign * written(at + i))
      i += 1
    }
  }

  override def close(): Unit = memory.release(counts.size)
}

object BucketCounter {
  val abilities: Abilities = Abilities.group("counts of buckets")
}

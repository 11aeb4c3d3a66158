package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, SavableState}
import io.muntin.kernel.columns.LongColumn

/**
 * The exclusive or of the longs in a frame. It is its own inverse: a value that leaves is added
 * again.
 *
 * Cost per row: one nanosecond. Guarded by BitXorSuite.
 */
final class BitXor(column: LongColumn) extends Prefixed with SavableState {
  private var bits = 0L
  private var present = 0L

  /** Returns the number of non-null values in the frame. */
  def count: Long = present

  def isEmpty: Boolean = present == 0L

  def xor: Long = bits

  override def save(out: DataOutput): Unit = {
    out.writeLong(bits)
    out.writeLong(present)
  }

  override def restore(in: DataInput): Unit = {
    bits = in.readLong()
    present = in.readLong()
  }

  override private[kernel] def write(to: LongColumn): Unit = {
    to.append(bits)
    to.append(present)
  }

  override private[kernel] def read(written: LongColumn, at: Long): Unit = {
    bits = written(at)
    present = written(at + 1L)
  }

  override private[kernel] def take(written: LongColumn, at: Long): Unit = {
    bits ^= written(at)
    present -= written(at + 1L)
  }

  override def clear(): Unit = {
    bits = 0L
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = toggle(from, until, 1L)

  override def leave(from: Long, until: Long): Unit = toggle(from, until, -1L)

  private def toggle(from: Long, until: Long, change: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        bits ^= column(p)
        present += change
      }
      p += 1
    }
  }
}

object BitXor {
  val abilities: Abilities = Abilities.group("exact xor")
}

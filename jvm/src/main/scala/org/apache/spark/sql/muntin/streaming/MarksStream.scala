package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Computes the marks of a stream: the start of every `every`-th row over all groups, in the order
 * of starts.
 *
 *     every = 3, rows that start at 1 1 2 5 6 6 7      marks at 2 and 6
 *
 * The input contains the number of rows with each start (`count`), in one row or in several.
 */
final case class MarksJob(
    function: String,
    every: Int,
    start: Attribute,
    count: Attribute
) extends StreamJob {
  override def name: String = function

  override def title: String = s"marks for $function, every $every rows"

  override def keys: Seq[Attribute] = Nil

  override def isSingle: Boolean = true

  override def time: Attribute = start

  override def order: Seq[SortOrder] = Seq(SortOrder(start, Ascending))

  override def input: Seq[Attribute] = Seq(start, count)

  override def output: Seq[Attribute] = Seq(start)

  override def retainedColumns: Seq[Attribute] = Nil

  override def fingerprint: Seq[(String, String)] = Seq(MarksJob.Every -> every.toString)

  override def delay: Option[Long] = Some(0L)

  // Among rows of one time, the row to mark may come first: the others do not move its mark.
  override def takesRowsAtBound: Boolean = true

  override def kernels(): StreamJob.Kernels =
    (_: Memory) => new MarksStream(every, UnsafeProjection.create(output, input))
}

object MarksJob {

  /** The property that only marks have. */
  val Every: String = "every"
}

/** Counts the rows of all groups. It keeps no row. */
private final class MarksStream(every: Int, mark: UnsafeProjection) extends StreamKernel {
  // Rows since the last mark.
  private var counted = 0L
  private var last: UnsafeRow = _
  private var found = false

  override def start(key: UnsafeRow): Unit = {
    counted = 0L
    last = null
    found = false
  }

  override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = {
    start(key)
    counted = in.readLong()
  }

  override def resumeWarm(): Unit = ()

  override def resumed(): Unit = ()

  override def keeps(row: UnsafeRow): Boolean = false

  override def arrive(row: UnsafeRow): Unit = {
    counted += row.getLong(1)
    if (counted >= every) {
      // An earlier micro-batch may have set a mark at this time, which does not cut again.
      counted %= every
      found = last == null || last.getLong(0) != row.getLong(0)
      if (found) last = mark(row)
    }
  }

  override def raiseBound(bound: Long): Unit = ()

  override def end(newest: Long): Unit = ()

  override def next(): Boolean = {
    val isNew = found
    found = false
    isNew
  }

  override def result: InternalRow = last

  override def floor: Long = 0L

  override def arrived: Long = 0L

  override def written: Long = 0L

  override def save(out: DataOutput): Unit = out.writeLong(counted)

  override def isDone: Boolean = counted == 0L

  override def wakeUpTime: Long = Long.MaxValue
}

package org.apache.spark.sql.muntin.execution

import java.util

import io.muntin.kernel.{FirstSeen, Memory, Tally}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RowOrdering}
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectSet

/** collect_set: the distinct values of the frame, in the order in which its rows first have them. */
object SetPlans {
  val plans: PartialFunction[Call, FunctionPlan] = {
    case call @ Call(CollectSet(child, _, _, ignoreNulls), _)
        if RowOrdering.isOrderable(child.dataType) =>
      val key =
        if (ignoreNulls) TallyKey.present(call, Seq(child)) else TallyKey.all(call, Seq(child))
      CollectedSet(key)
  }
}

private final case class CollectedSet(key: TallyKey) extends FunctionPlan {
  override def accumulator: String = "tally of values, first rows"

  private def value: Expression = key.values.head

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val tally = key.build(frame)
    if (frame.evicts) {
      val rows = new FirstRows(frame.memory, tally, FirstSeenRows(frame, key))
      val set = new ColumnArray(frame.column(value), value.dataType) {
        override def numElements(): Int = tally.size
        override protected def position(i: Int): Long = rows(i)
      }
      new Output {
        override def write(target: InternalRow): Unit = {
          rows.find()
          target.update(ordinal, set)
        }
      }
    } else {
      // Codes are given in the order of the rows, and none comes back.
      val set = new ColumnArray(tally.values(0), value.dataType) {
        override def numElements(): Int = tally.size
        override protected def position(i: Int): Long = i.toLong
      }
      new Output {
        override def write(target: InternalRow): Unit = target.update(ordinal, set)
      }
    }
  }
}

/** The rows of a frame that are the first with their value, found anew for each result. */
private final class FirstRows(memory: Memory, tally: Tally, seen: FirstSeen)
    extends Tally.Listener {
  private var rows = new Array[Long](FirstRows.InitialCapacity)

  memory.acquire(8L * rows.length)
  tally.tell(this)

  def apply(i: Int): Long = rows(i)

  def find(): Unit = {
    if (tally.size > rows.length) {
      val capacity = Integer.highestOneBit(tally.size) * 2
      memory.acquire(8L * capacity)
      memory.release(8L * rows.length)
      rows = util.Arrays.copyOf(rows, capacity)
    }
    var row = seen.from(0L)
    var i = 0
    while (row >= 0L) {
      rows(i) = row
      i += 1
      row = seen.from(row + 1)
    }
  }

  override def entered(code: Int, position: Long): Unit = ()
  override def left(code: Int, position: Long): Unit = ()
  override def clear(): Unit = ()
  override def close(): Unit = memory.release(8L * rows.length)
}

private object FirstRows {
  private val InitialCapacity = 64
}

package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{ColumnArray, Output}
import io.muntin.kernel.Abilities
import io.muntin.kernel.distinct.Tally
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RowOrdering}
import org.apache.spark.sql.muntin.spark.{CollectSetCall, DistinctEquality}

/**
 * Plans collect_set: the distinct values of the frame, in the order of the first row with each
 * value.
 */
object SetPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(CollectSetCall(child, ignoreNulls), _)
        if RowOrdering.isOrderable(child.dataType) && DistinctEquality.areDistinct(
          child.dataType
        ) =>
      val key =
        if (ignoreNulls) TallyKey.present(call, Seq(child)) else TallyKey.all(call, Seq(child))
      CollectedSet(key)
  }
}

private final case class CollectedSet(key: TallyKey) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Tally.abilities.withName(s"${Tally.abilities.name}, first rows"))

  private def value: Expression = key.values.head

  override def build(frame: FrameBuilder, ordinal: Int): Output =
    if (frame.evicts) {
      val rows = FirstSeenRows.listed(frame, key)
      val column = frame.column(value)
      column.staysInMemory()
      val set = new ColumnArray(column, value.dataType) {
        override def numElements(): Int = rows.size
        override protected def position(i: Int): Long = rows(i)
      }
      new Output {
        override def write(target: InternalRow): Unit = {
          rows.find()
          target.update(ordinal, set)
        }
      }
    } else {
      val tally = key.build(frame)
      // Codes follow the order of the rows, and are not reused.
      val set = new ColumnArray(tally.values(0), value.dataType) {
        override def numElements(): Int = tally.size
        override protected def position(i: Int): Long = i.toLong
      }
      new Output {
        override def write(target: InternalRow): Unit = target.update(ordinal, set)
      }
    }
}

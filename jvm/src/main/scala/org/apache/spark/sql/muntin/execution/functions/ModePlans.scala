package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{Output, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.distinct.{MostFrequent, Tally}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RowOrdering}
import org.apache.spark.sql.muntin.spark.{DistinctEquality, EqualBytes, ModeCall}

/**
 * Plans mode. If Spark does not define which of several most frequent values is the result, it is
 * the least, so that the result depends only on the rows.
 */
object ModePlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(ModeCall(input, takesGreatest), _)
        if RowOrdering.isOrderable(input.dataType) && DistinctEquality.areDistinct(
          input.dataType
        ) =>
      ModePlan(TallyKey.present(call, Seq(input)), if (takesGreatest) -1 else 1)
  }
}

private final case class ModePlan(key: TallyKey, sign: Int) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Tally.abilities.withName(s"${Tally.abilities.name}, tournament"))

  private def value: Expression = key.values.head

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val tally = key.build(frame)
    val winner = frame.shared(("most frequent", key, sign)) {
      new MostFrequent(frame.memory, tally, sign)
    }
    val writer = ValueType(value.dataType).writer(ordinal)
    if (frame.evicts && !EqualBytes.areIn(value.dataType)) {
      // Equal values may have different representations, and the tally's may be from a row that has
      // left.
      val first = FirstSeenRows.ofValues(frame, key)
      val column = frame.column(value)
      new Output {
        override def write(target: InternalRow): Unit =
          if (winner.code < 0) target.setNullAt(ordinal)
          else writer.write(column, first(tally, winner.code), target)
      }
    } else {
      new Output {
        override def write(target: InternalRow): Unit =
          if (winner.code < 0) target.setNullAt(ordinal)
          else writer.write(tally.values(0), winner.code.toLong, target)
      }
    }
  }
}

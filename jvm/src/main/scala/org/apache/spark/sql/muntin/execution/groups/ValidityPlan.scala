package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.columns.Column
import io.muntin.kernel.fields.UnfitRow
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{ElementMotion, PieceMotion, ValidityMotion}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, LessThan}
import org.apache.spark.sql.catalyst.util.{toPrettySQL, ArrayData}
import org.apache.spark.sql.muntin.expressions.Validity
import org.apache.spark.sql.types.DataType

/**
 * The motion of validity; `known` is the value of `ValiditySpec.ofAllGroups`. On a stream `known`
 * is None, as if a later row could come at any time.
 *
 * @param every
 *   on a stream with one group: pieces are cut at the start of every so many-th row
 */
final case class ValidityPlan(
    window: Validity,
    known: Option[Any],
    onStream: Boolean = false,
    every: Option[Int] = None
) extends GroupPlan {
  import ValidityPlan._

  override def sql: String = window.sql

  override def kinds: Seq[FrameKind] = Seq(FrameKind.Scattered)

  override def build(frame: GroupFrame): GroupWindowing = new GroupWindowing {
    private val starts = frame.arriving(window.start)
    private val ends = frame.arriving(window.end)
    private val slots = frame.slots.get

    override val motion: ValidityMotion =
      if (window.byElement) new ElementMotion(frame.memory, starts, ends, slots, condition)
      else {
        val (cuts, horizon) = times(frame.memory)
        new PieceMotion(frame.memory, starts, ends, slots, cuts, horizon, condition, every)
      }

    private val from = ValueType(window.start.dataType).writer(0)
    private val to = ValueType(window.start.dataType).writer(1)

    override def write(target: InternalRow): Unit = {
      from.write(motion.bounds, motion.from, target)
      if (motion.bounds.isNull(motion.to)) target.setNullAt(1)
      else to.write(motion.bounds, motion.to, target)
    }
  }

  override def unfit: Option[(Expression, UnfitRow)] =
    Some(LessThan(window.end, window.start) -> ValidityMotion.endsBefore(condition))

  /** Where pieces are cut, and the last time at which a piece may end. */
  private def times(memory: Memory): (Option[Column], Option[Column]) = {
    val (cuts, last) = (known, window.dumpAt) match {
      case (Some(starts: InternalRow), Some(_)) =>
        (Some(starts.getArray(0)), starts.get(1, window.start.dataType))
      case (other, _) => (None, other.orNull)
    }
    (
      cuts.map(column(memory, window.start.dataType, _)),
      if (window.drains || onStream) None
      else Some(column(memory, window.start.dataType, ArrayData.toArrayData(Array[Any](last))))
    )
  }

  /** The condition that rows have to meet: none ends before it starts. */
  private def condition: String = {
    val (start, end) = (toPrettySQL(window.start), toPrettySQL(window.end))
    s"$start <= coalesce($end, $start)"
  }
}

object ValidityPlan {

  /** A column of these values. */
  private def column(memory: Memory, dataType: DataType, values: ArrayData): Column = {
    val valueType = ValueType(dataType)
    val made = valueType.column(memory, nullable = true)
    made.addReader(Column.Everything)
    val feeder = valueType.feeder(made, 0)
    val row = new GenericInternalRow(1)
    values.foreach(
      dataType,
      (_, value) => {
        row.update(0, value)
        feeder.append(row)
      }
    )
    made
  }
}

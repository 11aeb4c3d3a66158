package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.columns.Column
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{ElementMotion, PieceMotion, ValidityMotion}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  GenericInternalRow,
  LessThan
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.catalyst.util.{toPrettySQL, ArrayData}
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import org.apache.spark.sql.muntin.execution.split.{GroupReach, ValidRows}
import org.apache.spark.sql.muntin.expressions.Validity
import org.apache.spark.sql.muntin.expressions.internal.EveryKthStart
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.types.TimestampType

/** Plans validity: pieces of time, or one window for each row. */
final case class ValidityPlan(window: Validity) extends GroupWindowPlan {
  import window.{byElement, dumpAt, end, start}

  private def timeType = start.dataType

  override def kinds: Seq[FrameKind] = Seq(FrameKind.Scattered)

  override def build(frame: GroupFrame, track: Int): GroupWindowing = new GroupWindowing {
    private val starts = frame.arriving(start)
    private val ends = frame.arriving(end)
    private val slots = frame.slots.get

    override val motion: ValidityMotion =
      if (byElement) new ElementMotion(frame.memory, starts, ends, slots, condition)
      else {
        val (cuts, horizon) = cutsAndHorizon(frame.memory, frame.allGroups)
        // On a stream, the motion counts the rows itself if there is one group.
        val every = dumpAt.filter(_ => frame.allGroups.isStream && !frame.allGroups.isMarked)
        new PieceMotion(frame.memory, starts, ends, slots, cuts, horizon, condition, every)
      }

    private val from = ValueType(timeType).writer(0)
    private val to = ValueType(timeType).writer(1)

    override def write(target: InternalRow): Unit = {
      from.write(motion.bounds, motion.from, target)
      if (motion.bounds.isNull(motion.to)) target.setNullAt(1)
      else to.write(motion.bounds, motion.to, target)
    }
  }

  /** Returns the times at which pieces are cut, and the last time at which a piece may end. */
  private def cutsAndHorizon(memory: Memory, all: AllGroups): (Option[Column], Option[Column]) = {
    val (cuts, last) = (all.globalValue, dumpAt) match {
      case (Some(starts: InternalRow), Some(_)) =>
        (Some(starts.getArray(0)), starts.get(1, timeType))
      case (other, _) => (None, other.orNull)
    }
    (
      cuts.map(column(memory, _)),
      if (window.drains || all.isStream) None
      else Some(column(memory, ArrayData.toArrayData(Array[Any](last))))
    )
  }

  /** Returns a column of these times. */
  private def column(memory: Memory, times: ArrayData): Column = {
    val valueType = ValueType(timeType)
    val made = valueType.column(memory, nullable = true)
    made.addReader(Column.RetainAll)
    val feeder = valueType.feeder(made, 0)
    val row = new GenericInternalRow(1)
    times.foreach(
      timeType,
      (_, value) => {
        row.update(0, value)
        feeder.append(row)
      }
    )
    made
  }

  override def ofAllGroups: Option[AggregateFunction] =
    if (byElement) None
    else
      dumpAt match {
        case Some(count) => Some(EveryKthStart(start, count))
        case None => Option.when(!window.drains)(Max(start))
      }

  // An interval without an end has a null there, and is last.
  override def ascending: Seq[Int] = Seq(0)

  override protected def reach: Option[GroupReach] =
    Some(ValidRows(start, end, inPieces = !byElement))

  override def unfit: Option[(Expression, InvalidWindowRowException)] =
    Some(LessThan(end, start) -> ValidityMotion.endsBefore(condition))

  /** Returns the condition that rows must satisfy: an interval must not end before it starts. */
  private def condition: String = {
    val (from, until) = (toPrettySQL(start), toPrettySQL(end))
    s"$from <= coalesce($until, $from)"
  }

  // With 'change' a window is emitted when it has ended.
  override def times: Seq[Int] =
    if (timeType != TimestampType) Nil else if (byElement) Seq(0) else Seq(1)

  override def begins: Option[Int] = Option.when(!byElement && timeType == TimestampType)(0)

  override def marks: Option[Int] = dumpAt

  override def withdraws: Boolean = !byElement

  override def closesAtRows: Boolean = !byElement

  override def repeats: Option[Int] = Option.when(byElement)(0)

  override def checkOnStream(keys: Seq[Attribute], byArrival: Boolean): Unit =
    dumpAt.foreach { count =>
      if (keys.nonEmpty && byArrival) {
        throw new MuntinAnalysisException(
          "MUNTIN_DUMP_AT_IN_ORDER_OF_ARRIVAL",
          "function" -> Validity.name,
          "dumpAt" -> count.toString,
          "key" -> keys.head.sql
        )
      }
    }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): ValidityPlan = copy(newChildren.head.asInstanceOf[Validity])
}

package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.aggregates.{AggregateInputs, SparkAggregate}
import org.apache.spark.sql.muntin.execution.rows.{ColumnRow, Output}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.Column
import io.muntin.kernel.lists.RecomputedRows
import io.muntin.kernel.merging.{
  FrameFold,
  GrowingFold,
  RecomputedPieces,
  RecomputingFold,
  RetractingFold
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types.DataType

/**
 * Plans all other aggregates, by their support for retraction and merge. Spark runs aggregates that
 * are not deterministic, that it does not evaluate itself, or that need the partition's size and
 * are not Spark's own.
 */
object MergePlans {
  val plans: PartialFunction[Call, AggregatePlan] = Function.unlift(plan)

  private def plan(call: Call): Option[AggregatePlan] = call.function match {
    case replaced: RuntimeReplaceableAggregate => plan(call.copy(function = replaced.replacement))
    case function: AggregateFunction if isRun(function) =>
      Some(AnyAggregate(SparkAggregate.bindEncoders(function), call.marks))
    case _ => None
  }

  private def isRun(function: AggregateFunction): Boolean =
    SparkAggregate.canRun(function) && function.deterministic &&
      AggregateInputs.of(function).forall(!_.exists(isUnevaluable))

  private def isUnevaluable(expression: Expression): Boolean = expression match {
    case _: Attribute => false
    case other => other.isInstanceOf[Unevaluable]
  }
}

/** An aggregate that Muntin runs through Spark's interfaces. */
private final case class AnyAggregate(function: AggregateFunction, marks: Option[Expression])
    extends AggregatePlan {

  private def merges: Boolean = SparkAggregate.canMerge(function)

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(function match {
    case RetractingUserAggregate(_) if frame.evicts && !frame.hasHoles => RetractingFold.abilities
    case _ if frame.evicts && !merges => RecomputingFold.abilities
    case _ => MergedFrame.abilities(frame, SparkAggregate.isSaved(function))
  })

  override def savedTypes: Seq[DataType] = SparkAggregate.savedTypes(function)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val inputs = AggregateInputs.of(function)
    val (replaced, attributes) = AggregateInputs.replaced(function, inputs)
    val columns = inputs.map(frame.column)
    if (frame.evicts && !SparkAggregate.canMerge(function)) columns.foreach(_.staysInMemory())
    val row = new ColumnRow(columns, inputs.map(_.dataType))
    val passing = marks.map(frame.column).filter(_.isNullable)
    // Each function has its own current partial.
    val key = ("aggregate", ordinal)
    replaced match {
      // Only the oldest row in the frame can be removed, so the frame must not have holes, and rows
      // must not leave in any order.
      case RetractingUserAggregate(user) if frame.evicts && !frame.hasHoles =>
        val retraction = new UserRetraction(user, attributes, row, passing)
        val folded = frame.accumulator(key)(new RetractingFold(retraction))
        new AggregateOutput(() => folded.refresh(), retraction.value, function, ordinal)
      case _ =>
        val aggregate = SparkAggregate(replaced, attributes)
        val folded = fold(frame, key, aggregate, row, passing)
        new AggregateOutput(() => folded.refresh(), aggregate.value, function, ordinal)
    }
  }

  private def fold[F <: AnyRef](
      frame: FrameBuilder,
      key: AnyRef,
      aggregate: SparkAggregate[F],
      row: ColumnRow,
      marks: Option[Column]
  ): FrameFold = {
    aggregate.readFrom(row, marks)
    if (merges) MergedFrame.fold(frame, key, aggregate)
    else if (frame.slots.isDefined) new RecomputedRows(aggregate, ListPlans.linked(frame, None))
    else if (frame.hasHoles) new RecomputedPieces(aggregate, frame.pieces.map(_.motion).toArray)
    else {
      frame.accumulator[FrameFold](key) {
        if (frame.evicts) new RecomputingFold(aggregate) else GrowingFold(aggregate)
      }
    }
  }
}

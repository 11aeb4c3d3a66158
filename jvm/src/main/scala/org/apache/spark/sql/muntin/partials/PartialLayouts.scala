package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Literal,
  RowOrdering,
  RuntimeReplaceableAggregate
}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.aggregates.AggregateInputs
import org.apache.spark.sql.muntin.execution.functions.RankStatisticPlans
import org.apache.spark.sql.muntin.spark.{
  CollectListCall,
  CollectSetCall,
  ListAggCall,
  ModeCall,
  MuntinRuntimeException
}
import org.apache.spark.sql.types._

/**
 * Finds how each aggregate computes its value from a partial. The first recipe defines the
 * aggregate's own partial; the other recipes compute its value from the partial of another
 * aggregate.
 */
object PartialLayouts {

  /** Returns the inputs that have a value for each row; the other children are parameters. */
  def inputs(function: AggregateFunction): Seq[Expression] = function match {
    case Count(several) => several
    case Pair(a, b) => Seq(a, b)
    case Values(input) => Seq(input)
    case _: MaxBy | _: MinBy => function.children
    case _: CollectList | _: CollectSet | ListAggCall(_, _, _) => function.children.take(1)
    case other =>
      AggregateInputs.of(other) match {
        case Seq() => other.children.take(1)
        case several => several
      }
  }

  /** Returns the recipes of an aggregate; empty if it has no partial. */
  def of(function: AggregateFunction, isDistinct: Boolean): Seq[PartialLayout] =
    if (isDistinct) distinct(function) else all(function)

  private def all(function: AggregateFunction): Seq[PartialLayout] = function match {
    case Count(inputs) =>
      val counted = CountPartialField("count", if (inputs.size == 1) _.hasX else everyInput(inputs))
      Seq(PartialLayout(Seq(counted), Finalizers.stored)) ++ ofValues(
        inputs,
        Finalizers.countOfValues
      )
    case CountIf(_) =>
      Seq(PartialLayout(Seq(CountPartialField("count_if", _.x == true)), Finalizers.stored))
    case sum: Sum => Seq(PartialLayout(summed(sum.child.dataType), Finalizers.sums(sum)))
    case average: Average =>
      Seq(PartialLayout(summed(average.child.dataType), Finalizers.sums(average)))
    case moment: CentralMomentAgg if moment.child.dataType == DoubleType =>
      Seq(PartialLayout(powers(moment), Finalizers.sums(moment)))
    case Pair(a, b) => Pairs.layout(function, a.dataType, b.dataType).toSeq
    case Min(child) => extreme("min", child, -1)(_.least)
    case Max(child) => extreme("max", child, 1)(_.greatest)
    case ModeCall(child, takesGreatest) => ofValues(Seq(child), Finalizers.mode(takesGreatest))
    case percentile: ApproximatePercentile =>
      buffer(percentile) ++ ranked(percentile, percentile.child)
    case percentile: Percentile => ranked(percentile, percentile.child)
    case percentile: PercentileDisc => ranked(percentile, percentile.child)
    case CollectListCall(child, ignoreNulls) =>
      val name = if (ignoreNulls) "list" else "list_with_nulls"
      val list = ListPartialField(name, child.dataType, !ignoreNulls)
      Seq(PartialLayout(Seq(list), Finalizers.stored))
    case CollectSetCall(child, ignoreNulls) if RowOrdering.isOrderable(child.dataType) =>
      val name = if (ignoreNulls) "set" else "set_with_nulls"
      Seq(PartialLayout(
        Seq(SetPartialField(name, child.dataType, !ignoreNulls)),
        Finalizers.stored
      ))
    case ListAggCall(child, _, order) =>
      val values = ListPartialField("list", child.dataType, withNulls = false)
      if (order.isEmpty) Seq(PartialLayout(Seq(values), Finalizers.replayed(function))) else Nil
    case replaced: RuntimeReplaceableAggregate =>
      replaced.replacement match {
        case other: AggregateFunction => all(other)
        case _ => Nil
      }
    case other => buffer(other)
  }

  private def buffer(function: AggregateFunction): Seq[PartialLayout] =
    BufferPartialField.of(function).map(b => PartialLayout(Seq(b), Finalizers.buffer)).toSeq

  private def everyInput(inputs: Seq[Expression]): Inputs => Boolean =
    row => inputs.forall(_.eval(row.row) != null)

  private def summed(dataType: DataType): Seq[PartialField] =
    Seq(CountPartialField("count", _.hasX), SumPartialField.of("sum", dataType, _.x))

  private def powers(moment: CentralMomentAgg): Seq[PartialField] = {
    val highest = moment match {
      case _: Skewness => 3
      case _: Kurtosis => 4
      case _ => 2
    }
    summed(DoubleType) ++ (2 to highest).map(SumPartialField.power)
  }

  private def extreme(name: String, child: Expression, sign: Int)(
      read: ValuesState => Any
  ): Seq[PartialLayout] =
    PartialLayout(Seq(ExtremePartialField(name, child.dataType, sign)), Finalizers.stored) +:
      ofValues(Seq(child), Finalizers.ofValues(read))

  private def ranked(function: AggregateFunction, child: Expression): Seq[PartialLayout] = {
    val frequency = function match {
      case p: Percentile => p.frequencyExpression
      case _ => Literal(1L)
    }
    if (!RankStatisticPlans.isRanked(function)) buffer(function)
    else {
      val values = ValuesPartialField(child.dataType, times(frequency))
      Seq(PartialLayout(Seq(values), Finalizers.ranked(function)))
    }
  }

  private def times(frequency: Expression): Inputs => Long = frequency match {
    case Literal(1L, LongType) => _ => 1L
    case other =>
      row =>
        other.eval(row.row) match {
          case null => 0L
          case n: Number if n.longValue >= 0L => n.longValue
          case n =>
            throw new MuntinRuntimeException(
              "MUNTIN_NEGATIVE_FREQUENCY",
              "value" -> n.toString
            )
        }
  }

  private def ofValues(
      inputs: Seq[Expression],
      finalizer: PartialLayout.Finalizer
  ): Seq[PartialLayout] = inputs match {
    case Seq(input) if RowOrdering.isOrderable(input.dataType) =>
      Seq(PartialLayout(Seq(ValuesPartialField(input.dataType, _ => 1L)), finalizer))
    case _ => Nil
  }

  /** Returns recipes for functions that depend on the distinct values, not on their order. */
  private def distinct(function: AggregateFunction): Seq[PartialLayout] = function match {
    case replaced: RuntimeReplaceableAggregate =>
      replaced.replacement match {
        case other: AggregateFunction => distinct(other)
        case _ => Nil
      }
    case _: Min | _: Max | _: BitAndAgg | _: BitOrAgg | _: HyperLogLogPlusPlus | _: CollectSet =>
      all(function)
    case CollectListCall(child, ignoreNulls) =>
      all(CollectSetCall(child, ignoreNulls))
    case Count(inputs) => ofValues(inputs, Finalizers.countOfDistinct)
    case _: Sum | _: Average | _: CentralMomentAgg | _: Mode |
        Percentile(_, _, Literal(1L, LongType), _, _, _) =>
      ofValues(function.children.take(1), Finalizers.distinct(all(function)))
    case _ => Nil
  }

  /** Functions whose partial holds values and their frequencies. */
  private object Values {
    def unapply(function: AggregateFunction): Option[Expression] = function match {
      case m: Mode => Some(m.child)
      case p: Percentile => Some(p.child)
      case p: PercentileDisc => Some(p.child)
      case p: ApproximatePercentile => Some(p.child)
      case m: Median => Some(m.child)
      case p: PercentileCont => Some(p.left)
      case _ => None
    }
  }
}

package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Literal,
  RuntimeReplaceableAggregate,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateFunction,
  ImperativeAggregate,
  TypedImperativeAggregate
}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.Validity
import org.apache.spark.sql.muntin.expressions.common.{
  Aggregated,
  Arguments,
  AroundAggregate,
  Definition,
  Definitions
}
import org.apache.spark.sql.types.{ArrayType, DataType, StructField, StructType}

/**
 * Evaluates an aggregate over each maximal interval in which the set of valid rows is constant, and
 * returns all intervals in one value; see `Intervals.definition`. It keeps the rows, and finds the
 * intervals at the end, as `validity` does.
 *
 * @param text
 *   the aggregate in the query, if another is evaluated in its place
 */
final case class Intervals(
    aggregated: Aggregated,
    validity: Validity,
    text: Option[String],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[IntervalRows] {
  override def children: Seq[Expression] =
    aggregated.function.children ++ aggregated.filter ++ validity.children

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): Intervals = {
    val (inputs, rest) = newChildren.splitAt(aggregated.function.children.size)
    val (filter, times) = rest.splitAt(aggregated.filter.size)
    val function = aggregated.function.withNewChildren(inputs).asInstanceOf[AggregateFunction]
    copy(
      aggregated = aggregated.copy(function = function, filter = filter.headOption),
      validity = validity.withNewChildren(times).asInstanceOf[Validity]
    )
  }

  override lazy val dataType: DataType = {
    val value = StructField("value", aggregated.function.dataType, aggregated.function.nullable)
    ArrayType(StructType(validity.dataType.fields :+ value), containsNull = false)
  }

  override def nullable: Boolean = false

  override def defaultResult: Option[Literal] = Some(Literal.create(Array(), dataType))

  override def prettyName: String = Intervals.name

  override def sql: String =
    (text.getOrElse(aggregated.sql) +: validity.children.map(_.sql))
      .mkString(s"$prettyName(", ", ", ")")

  override def sql(isDistinct: Boolean): String = sql

  override def toAggString(isDistinct: Boolean): String = sql

  override def toString: String = sql

  @transient private lazy val sweep = IntervalSweep(aggregated, validity)

  @transient private lazy val read = UnsafeProjection.create(sweep.inputs)

  override def createAggregationBuffer(): IntervalRows = new IntervalRows

  override def update(rows: IntervalRows, row: InternalRow): IntervalRows = {
    rows.add(read(row))
    rows
  }

  override def merge(rows: IntervalRows, other: IntervalRows): IntervalRows = {
    rows.addAll(other)
    rows
  }

  override def eval(rows: IntervalRows): Any = sweep(rows)

  override def serialize(rows: IntervalRows): Array[Byte] = rows.toBytes

  override def deserialize(bytes: Array[Byte]): IntervalRows = IntervalRows.of(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Intervals extends AroundAggregate {
  override def definition: Definition = Definitions.intervals

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(agg, start, end) =>
      val read = new Arguments(name)
      val aggregated = Aggregated(read.aggregate(agg))
      if (!(aggregated.function +: aggregated.filter.toSeq).forall(_.deterministic)) {
        throw read.error("MUNTIN_NONDETERMINISTIC", "expression" -> aggregated.sql)
      }
      val evaluated = aggregated.copy(function = replaced(aggregated.function))
      val text = Option.when(evaluated != aggregated)(toPrettySQL(read.aggregate(agg)))
      Intervals(evaluated, Validity.of(read, start, end), text)
  }

  // The optimizer sees the inputs of the function, not the function itself.
  private def replaced(function: AggregateFunction): AggregateFunction = function match {
    case other: RuntimeReplaceableAggregate =>
      other.replacement match {
        case evaluated: AggregateFunction => replaced(evaluated)
        case _ => function
      }
    case evaluated => evaluated
  }
}

package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, GetStructField}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  ImperativeAggregate
}
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  AroundAggregate,
  Definition,
  Definitions
}
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.DataType

/**
 * Evaluates an aggregate over partials; see `MergePartial.definition`. Its children are the
 * components that the aggregate needs. The function itself reads no rows: only its last step is
 * used.
 *
 * @param asPartial
 *   the types of the inputs, if the result is a partial again
 */
final case class MergePartial(
    function: AggregateFunction,
    isDistinct: Boolean,
    partialFields: Seq[Expression],
    names: Seq[String],
    text: String,
    asPartial: Option[Seq[DataType]],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends PartialAggregate {
  override def children: Seq[Expression] = partialFields

  override def prettyName: String = MergePartial.name

  override def sql: String =
    if (asPartial.isEmpty) s"${MergePartial.name}($text)"
    else s"${Partial.name}(${MergePartial.name}($text))"

  @transient lazy val layout: PartialLayout =
    PartialLayouts.of(function, isDistinct).find(_.partialFields.map(_.name) == names).getOrElse(
      throw new IllegalStateException(s"no recipe to $text from ${names.mkString(", ")}")
    )

  override lazy val dataType: DataType =
    asPartial.fold(function.dataType)(PartialType(_, layout.partialFields).dataType)

  override def nullable: Boolean = asPartial.isEmpty && function.nullable

  /** Returns the function with the merged partial as the result. */
  def asStored: MergePartial = copy(asPartial = Some(inputTypes))

  private def inputTypes: Seq[DataType] = PartialLayouts.inputs(function).map(_.dataType)

  override def update(
      parts: Array[MergeableFieldState],
      row: InternalRow
  ): Array[MergeableFieldState] = {
    var i = 0
    while (i < read.length) {
      val added = read(i).eval(row)
      if (added != null) mergeInto(parts(i), added)
      i += 1
    }
    parts
  }

  @transient private lazy val read = partialFields.toArray

  private def mergeInto(part: MergeableFieldState, added: Any): Unit =
    try part.merge(added)
    catch { case e: IllegalArgumentException => throw invalidPartial(e) }

  /** Returns the error of a partial that cannot be merged. */
  def invalidPartial(why: IllegalArgumentException): RuntimeException =
    new MuntinRuntimeException(
      "MUNTIN_UNREADABLE_PARTIAL",
      Map("function" -> MergePartial.name, "aggregate" -> text, "error" -> why.getMessage),
      why
    )

  override def result(fields: Array[_ <: FieldState]): Any =
    if (asPartial.isDefined) stored(fields, offset = 1) else layout.finalizer(fields)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): MergePartial = copy(partialFields = newChildren)
}

object MergePartial extends AroundAggregate {
  override def definition: Definition = Definitions.mergePartial

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case Seq(agg) =>
    val read = new Arguments(name)
    val aggregate = read.aggregate(agg)
    Partial.filtered(merging(read, aggregate), aggregate.filter)
  }

  private def merging(read: Arguments, aggregate: AggregateExpression): MergePartial = {
    val function = aggregate.aggregateFunction
    val text = function.sql(aggregate.isDistinct)
    val partial = function.collectFirst { case PartialInput(p, _) => p }.getOrElse(
      throw read.error("MUNTIN_AGGREGATE_WITHOUT_PARTIAL", "aggregate" -> text)
    )
    val stored = PartialType.of(partial.dataType) match {
      case Right(known) => known.components
      case Left(fault) => throw fault.error(partial)
    }
    val typed = function
      .transformUp { case input: PartialInput =>
        BoundReference(input.index, input.dataType, nullable = true)
      }
      .asInstanceOf[AggregateFunction]
    val layouts = PartialLayouts.of(typed, aggregate.isDistinct)
    val layout = layouts.find(_.partialFields.forall(StoredFields.holds(stored, _))).getOrElse(
      throw read.error(
        "MUNTIN_INCOMPLETE_PARTIAL",
        "aggregate" -> text,
        "required" -> StoredFields.required(stored, layouts),
        "argument" -> partial.sql,
        "stored" -> stored.fieldNames.mkString(", "),
        "supported" -> StoredFields.finishedBy(stored)
      )
    )
    val names = layout.partialFields.map(_.name)
    val fields = names.map { partialField =>
      // After the field of the version.
      val i = stored.fieldIndex(partialField) + 1
      GetStructField(partial, i, Some(partialField))
    }
    MergePartial(typed, aggregate.isDistinct, fields, names, text, None)
  }
}

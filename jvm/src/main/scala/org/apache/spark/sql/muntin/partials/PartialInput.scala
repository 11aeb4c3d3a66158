package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.analysis.{TypeCheckResult, UnresolvedException}
import org.apache.spark.sql.catalyst.expressions.{Expression, Unevaluable}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * Input `index` (from 0) of the aggregate whose partial is `child`. It has the type of the input
 * when the partial was made. So Spark resolves and coerces the aggregate over partials as it did
 * the aggregate over rows.
 */
final case class PartialInput(child: Expression, index: Int)
    extends Expression
    with Unevaluable
    with UnaryLike[Expression] {

  override def dataType: DataType =
    PartialType.of(child.dataType).toOption.flatMap(_.inputs.lift(index)).getOrElse(NullType)

  override def nullable: Boolean = true

  override def checkInputDataTypes(): TypeCheckResult = PartialType.of(child.dataType) match {
    case Left(fault) => throw fault.error(child)
    case Right(partial) if !partial.inputs.isDefinedAt(index) =>
      throw new Arguments(MergePartial.name)
        .error("MUNTIN_PARTIAL_OF_ONE_INPUT", "argument" -> child.sql)
    case _ => TypeCheckResult.TypeCheckSuccess
  }

  override def sql: String = child.sql

  override def toString: String = s"${child}[$index]"

  override protected def withNewChildInternal(newChild: Expression): PartialInput =
    copy(child = newChild)
}

/** All inputs of a partial, until their number is known. */
final case class AllPartialInputs(child: Expression)
    extends Expression
    with Unevaluable
    with UnaryLike[Expression] {
  override lazy val resolved: Boolean = false

  /** Returns one input or more; the first fails with an error if `child` is not a partial. */
  def inputs: Seq[PartialInput] = {
    val count = PartialType.of(child.dataType).fold(_ => 1, _.inputs.size)
    Seq.tabulate(count)(PartialInput(child, _))
  }

  override def dataType: DataType = throw new UnresolvedException("dataType")

  override def nullable: Boolean = throw new UnresolvedException("nullable")

  override def sql: String = child.sql

  override protected def withNewChildInternal(newChild: Expression): AllPartialInputs =
    copy(child = newChild)
}

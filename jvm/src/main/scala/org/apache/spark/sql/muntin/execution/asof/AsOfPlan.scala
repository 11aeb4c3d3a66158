package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._

/** One side of an as-of join: the columns of its keys and of its time. */
final case class AsOfSide(output: Seq[Attribute], keys: Seq[Attribute], time: Attribute)

/**
 * For each row of the left side the row of the right side whose keys are equal and whose time is
 * the last before it, the first after it (`takesBefore`, `takesAfter`), or the nearer of the two.
 * `strict`: a row at the very time is none. A row of the left side for which `mayMatch` is not true
 * finds none, and a row that is found has to be `within`, a condition on both. Of both rows these
 * `columns` come out.
 */
final case class AsOfPlan(
    left: AsOfSide,
    right: AsOfSide,
    joinType: JoinType,
    takesBefore: Boolean,
    takesAfter: Boolean,
    strict: Boolean,
    mayMatch: Option[Expression],
    within: Option[Expression],
    columns: Seq[Attribute]
) {

  /** The columns that there are; where a row finds none, those of the right side are null. */
  def all: Seq[Attribute] = joinType match {
    case LeftExistence(_) => left.output
    case Inner => left.output ++ right.output
    case _ => left.output ++ right.output.map(_.withNullability(true))
  }

  /** Whether all of them come out, in their order. */
  def isWhole: Boolean = columns.map(_.exprId) == all.map(_.exprId)
}

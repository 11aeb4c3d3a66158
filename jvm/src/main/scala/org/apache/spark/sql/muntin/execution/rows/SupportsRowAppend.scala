package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

/**
 * An operator that can reserve fields after the columns of its rows. The operator above writes its
 * results there instead of copying the row.
 *
 *     rows                   a 1         b 2
 *     two reserved fields    a 1 _ _     b 2 _ _
 */
trait SupportsRowAppend extends SparkPlan {

  /** Returns true if rows can have `fields` reserved fields. */
  def canReserve(fields: Int): Boolean

  /** Returns the rows with `fields` reserved fields, non-null and with undefined contents. */
  final def reserveFields(fields: Int): RDD[InternalRow] = executeQuery(rowsWith(fields))

  /** Computes the rows with `reserved` fields. */
  protected def rowsWith(reserved: Int): RDD[InternalRow]

  override protected final def doExecute(): RDD[InternalRow] = rowsWith(0)
}

object SupportsRowAppend {

  /** Returns true if rows of `plan` can have `fields` reserved fields. */
  def canReserve(plan: SparkPlan)(fields: Int): Boolean = plan match {
    case some: SupportsRowAppend => some.canReserve(fields)
    case _ => false
  }

  /** Returns the rows of `plan`; if `reserved` is defined, the caller may write to them. */
  def rows(plan: SparkPlan, reserved: Option[Int]): RDD[InternalRow] = (plan, reserved) match {
    case (some: SupportsRowAppend, Some(fields)) => some.reserveFields(fields)
    case _ => plan.execute()
  }

  /** Returns the line of EXPLAIN FORMATTED for an operator with fields `reserved`, or with none. */
  def detail(reserved: Option[Int]): (String, String) =
    "Rows" -> (if (reserved.isDefined) "extended in place" else "copied")
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.expressions._

/**
 * The rows around a part of a partition that have to be looked for: a halo goes on before the part,
 * and behind it, until it holds so many rows for which a condition is true, of each condition, or
 * else to the partition's end. `counted`: conditions of which has to be known for how many of the
 * rows before the halo they are true.
 */
final case class SoughtRows(
    before: Seq[RowsWhere],
    after: Seq[RowsWhere],
    counted: Seq[Expression]
) {

  /** What a sample has to tell. */
  def conditions: Seq[Expression] = SoughtRows.distinct((before ++ after).map(_.condition))

  /** Whether rows are looked for. */
  def isSome: Boolean = before.nonEmpty || after.nonEmpty

  def and(other: SoughtRows): SoughtRows = SoughtRows(
    SoughtRows.most(before ++ other.before),
    SoughtRows.most(after ++ other.after),
    SoughtRows.distinct(counted ++ other.counted)
  )
}

object SoughtRows {

  /** None is. */
  val Nothing: SoughtRows = SoughtRows(Nil, Nil, Nil)

  // What is kept of each while they are looked for.
  private val Most = 1L << 16

  /** Whether as many can be looked for, by that condition. */
  def supports(rows: RowsWhere): Boolean =
    rows.count <= Most && rows.condition.deterministic &&
      // A subquery is answered where its operator is.
      !rows.condition.exists(_.isInstanceOf[PlanExpression[_]])

  private def most(rows: Seq[RowsWhere]): Seq[RowsWhere] =
    distinct(rows.map(_.condition)).map { condition =>
      RowsWhere(condition, rows.filter(_.condition.semanticEquals(condition)).map(_.count).max)
    }

  private def distinct(conditions: Seq[Expression]): Seq[Expression] =
    conditions.foldLeft(Seq.empty[Expression]) { (known, c) =>
      if (known.exists(_.semanticEquals(c))) known else known :+ c
    }
}

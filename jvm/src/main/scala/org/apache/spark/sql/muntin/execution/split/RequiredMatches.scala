package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.expressions._

/**
 * The rows around a chunk that must be searched. For each RowsWhere(condition, n) in `before`, the
 * halo extends back until it contains n rows for which the condition is true, or else to the
 * partition's start. `after` does so for the rows after the chunk. For each condition in `counted`
 * the kernel must know for how many rows before the halo the condition is true.
 *
 *     since(sum(x), p)                 before = the last row for which p is true
 *     lag(x, 3) IGNORE NULLS           before = the last 3 rows whose x is not null
 *     lead(x) IGNORE NULLS             after = the next row whose x is not null
 */
final case class RequiredMatches(
    before: Seq[RowsWhere],
    after: Seq[RowsWhere],
    counted: Seq[Expression]
) {

  /** Returns the conditions that a sample must contain. */
  def conditions: Seq[Expression] = RequiredMatches.distinct((before ++ after).map(_.condition))

  /** Returns true if any rows are searched. */
  def isSome: Boolean = before.nonEmpty || after.nonEmpty

  def and(other: RequiredMatches): RequiredMatches = RequiredMatches(
    RequiredMatches.most(before ++ other.before),
    RequiredMatches.most(after ++ other.after),
    RequiredMatches.distinct(counted ++ other.counted)
  )
}

object RequiredMatches {

  /** No rows are searched. */
  val Nothing: RequiredMatches = RequiredMatches(Nil, Nil, Nil)

  // The most rows that a search keeps for one condition.
  private val Most = 1L << 16

  /** Returns true if `rows` can be searched. */
  def supports(rows: RowsWhere): Boolean =
    rows.count <= Most && rows.condition.deterministic &&
      // A subquery has its result only in its own operator.
      !rows.condition.exists(_.isInstanceOf[PlanExpression[_]])

  /** Returns the greatest count for each condition. */
  def most(rows: Seq[RowsWhere]): Seq[RowsWhere] =
    distinct(rows.map(_.condition)).map { condition =>
      RowsWhere(condition, rows.filter(_.condition.semanticEquals(condition)).map(_.count).max)
    }

  /** Returns conditions of different meaning. */
  def distinct(conditions: Seq[Expression]): Seq[Expression] =
    conditions.foldLeft(Seq.empty[Expression]) { (known, c) =>
      if (known.exists(_.semanticEquals(c))) known else known :+ c
    }
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}

/**
 * A running total of a query.
 *
 * @param window
 *   the result of the window
 * @param shown
 *   the column of the query with this result
 * @param keys
 *   the columns of the window that are the keys of the locality
 * @param order
 *   the columns of the query in the window's ORDER BY
 */
private[refresh] final case class RunningResult(
    window: ExprId,
    function: RunningFunction,
    shown: Attribute,
    keys: Seq[Attribute],
    order: Seq[Attribute]
) {

  /** Returns the columns under their names in a projection; None if one of them is not in it. */
  def renamed(name: Attribute => Option[Attribute]): Option[RunningResult] = {
    val names = order.flatMap(name(_))
    name(shown).filter(_ => names.size == order.size).map(s => copy(shown = s, order = names))
  }
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, Expression}
import org.apache.spark.sql.muntin.partials.MergePartial

/**
 * Determines which functions over the windows of groups the state of the same windows, with other
 * functions, can continue. If the state has the rows of the windows that are open, it has the rows
 * of every function; if it has accumulators in place of rows, a function that is added lacks rows
 * in these windows.
 *
 *     before                          after
 *     tumble(…): sum(x), max(x)       max(x)       continues
 *                                     avg(x)       restarts: open windows lack rows
 *                                     count(*)     continues: windows know how many rows they have
 *                                     median(x)    needs rows: no function can continue
 *     tumble(…): sum(x), median(x)    avg(x)       continues: the rows are there
 */
private[streaming] final class ChangedAggregates(
    before: GroupJob,
    after: GroupJob,
    derived: AttributeMap[Expression]
) extends ChangedFunctions(before, after, derived) {
  import ChangedAggregates._
  import ChangedFunctions._

  override protected def former: Seq[(String, Int)] = before.functionTexts.zipWithIndex

  override protected def changed: Seq[(String, Int, Change)] =
    after.functionTexts.zipWithIndex.map { case (function, i) =>
      (function, i, change(function, i))
    }

  override def isConvertible: Boolean = super.isConvertible && !before.scatters &&
    after.plan.references.forall(isSame) && (after.saves || !before.saves)

  // The functions of a partial aggregate report what it lacks.
  override def missingColumns: Seq[Attribute] =
    super.missingColumns.filterNot(after.panes.contains)

  private def change(function: String, ordinal: Int): Change = {
    val aggregate = after.aggregates(ordinal)
    val read = aggregate.references
    val lacks = missing(read)
    val others = ofOtherType(read)
    aggregate.function match {
      case _: MergePartial if lacks.nonEmpty => ofPanes(isWhole = lacks.size == read.size)
      case _ if lacks.nonEmpty =>
        lacking(lacks, ignoresNulls(aggregate.function, aggregate.filter))
      case _ if !before.saves => Same
      case _ if !isKnown(function) => Stateless(Absent)
      case _ if others.nonEmpty => Stateless(hadOtherType(others))
      case _ => Same
    }
  }

  /** Returns what becomes of a function whose partials, or parts of them, the panes lack. */
  private def ofPanes(isWhole: Boolean): Change =
    if (!isWhole) needsHistory(Absent)
    else if (before.saves) Stateless(Absent)
    else restarts(Absent)
}

private object ChangedAggregates {
  private val Absent = "the checkpoint does not have it for windows that are open"
}

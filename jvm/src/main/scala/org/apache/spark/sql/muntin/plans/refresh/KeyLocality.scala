package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.plans.logical.GroupWindows

/**
 * The results of a query that depend on the rows of one key of a source: the query over the rows of
 * some keys has the results of these keys.
 *
 *     SELECT k, t, avg(x) OVER (PARTITION BY k ORDER BY t RANGE 7 PRECEDING) FROM rows
 *
 *     rows       the child of the lowest window: its rows, by key and time, are selected
 *     keys       k -> k     columns of `rows`, and the same columns in the result
 *     time       t -> t
 *     reach      behind = 7, ahead = 0
 *
 * @param rows
 *   the plan below the lowest operator that combines rows
 * @param time
 *   the order of all windows; None if they have several
 */
private[refresh] final case class KeyLocality(
    rows: LogicalPlan,
    keys: Seq[(Attribute, Attribute)],
    time: Option[(Attribute, Attribute)],
    reach: Reach
) {
  def effectiveReach: Reach = if (time.isEmpty) Reach.WholeKey else reach

  /** Returns the locality in the output of a projection. */
  private def through(list: Seq[NamedExpression]): KeyLocality = {
    def renamed(column: Attribute): Option[Attribute] = list.collectFirst {
      case a: Attribute if a.exprId == column.exprId => a
      case a @ Alias(SameColumn(c), _) if c.exprId == column.exprId => a.toAttribute
    }
    copy(
      keys = keys.flatMap { case (below, above) => renamed(above).map(below -> _) },
      time = time.flatMap { case (below, above) => renamed(above).map(below -> _) }
    )
  }

  /** Returns the locality in the output of an operator that combines rows with equal `by`. */
  private def within(by: Seq[Expression]): KeyLocality = {
    val columns = by.collect { case a: Attribute => a.exprId }.toSet
    copy(keys = keys.filter { case (_, above) => columns(above.exprId) })
  }
}

private[refresh] object KeyLocality {

  /**
   * Returns the locality of a query's results in the rows of `source`, a leaf of the plan.
   *
   * @param error
   *   makes an error with a condition and parameters
   */
  def of(query: LogicalPlan, source: LogicalPlan)(
      error: (String, Seq[(String, String)]) => Throwable
  ): KeyLocality = {
    def combines(operator: String) =
      error("MUNTIN_REFRESH_OF_WHOLE_TABLE", Seq("operator" -> operator))
    new Walk(source, combines).of(query) match {
      case None => throw error("MUNTIN_REFRESH_WITHOUT_WINDOWS", Nil)
      case Some(local) if local.keys.isEmpty => throw error("MUNTIN_REFRESH_WITHOUT_KEYS", Nil)
      case Some(local) => local
    }
  }

  private final class Walk(source: LogicalPlan, combines: String => Throwable) {

    /** Returns None if each row of the plan is of one row of the source. */
    def of(plan: LogicalPlan): Option[KeyLocality] = plan match {
      case leaf if leaf eq source => None
      case Project(list, child) => of(child).map(_.through(list))
      case Filter(_, child) => of(child)
      case SubqueryAlias(_, child) => of(child)
      case view: View => of(view.child)
      case sort: Sort => of(sort.child)
      case _: RepartitionOperation | _: ResolvedHint => of(plan.children.head)
      case generate: Generate => of(generate.child)
      case window: Window => Some(ofWindow(window))
      case aggregate: Aggregate => Some(ofAggregate(aggregate))
      case windows: GroupWindows => Some(ofGroupWindows(windows))
      case Distinct(child) => of(child).map(_.within(child.output))
      case join: Join => ofJoin(join)
      case other => throw combines(other.nodeName)
    }

    private def ofWindow(window: Window): KeyLocality = {
      val by = window.partitionSpec
      val ordered = window.orderSpec.headOption.collect {
        case SortOrder(time: Attribute, Ascending, NullsFirst, _) => time
      }
      val axis = ordered.flatMap(time => TimeAxis.of(time.dataType))
      val own = axis.fold(Reach.WholeKey) { axis =>
        window.windowExpressions.flatMap(_.collect { case w: WindowExpression => w })
          .map(reachOf(_, axis)).foldLeft(Reach.OwnRow)(_ or _)
      }
      val lowest = axis.flatMap(_ => ordered)
      combined(window.child, by, lowest, own) { below =>
        val same = below.time.filter { case (_, above) => ordered.exists(_.exprId == above.exprId) }
        below.copy(time = same, reach = below.reach.and(own))
      }
    }

    /**
     * Returns the locality of an operator that combines rows with equal `by`: `lowest` and `reach`
     * if no operator below it combines rows.
     */
    private def combined(
        child: LogicalPlan,
        by: Seq[Expression],
        lowest: Option[Attribute],
        reach: Reach
    )(above: KeyLocality => KeyLocality): KeyLocality = of(child) match {
      case None =>
        val keys = by.collect { case a: Attribute => a -> a }
        KeyLocality(child, keys, lowest.map(t => t -> t), reach)
      case Some(below) => above(below.within(by))
    }

    /** As `combined`, if each result may read all rows of its key. */
    private def ofWholeKeys(child: LogicalPlan, by: Seq[Expression]): KeyLocality =
      combined(child, by, None, Reach.WholeKey)(_.copy(time = None))

    /** Functions of Muntin reach as far as their arguments say. */
    private def reachOf(window: WindowExpression, axis: TimeAxis): Reach = {
      val isOfSpark = window.windowFunction match {
        case call: AggregateExpression => ofSpark(call.aggregateFunction)
        case other => ofSpark(other)
      }
      if (isOfSpark) Reach.of(window.windowSpec.frameSpecification, axis) else Reach.WholeKey
    }

    // Some functions of Spark read the size of the partition.
    private def ofSpark(function: Expression): Boolean =
      function.getClass.getName.startsWith("org.apache.spark.sql.catalyst.expressions.") &&
        !function.isInstanceOf[SizeBasedWindowFunction]

    private def ofAggregate(aggregate: Aggregate): KeyLocality =
      ofWholeKeys(aggregate.child, aggregate.groupingExpressions)
        .through(aggregate.aggregateExpressions)

    private def ofGroupWindows(windows: GroupWindows): KeyLocality = {
      if (windows.plan.ofAllGroups.isDefined || windows.plan.marks.isDefined) {
        throw combines(windows.window.prettyName)
      }
      ofWholeKeys(windows.child, windows.keys)
    }

    private def ofJoin(join: Join): Option[KeyLocality] = {
      val sides = Seq(join.left, join.right).map(_.exists(_ eq source))
      (sides, join.joinType) match {
        case (Seq(true, false), Inner | Cross | LeftOuter | LeftSemi | LeftAnti) => of(join.left)
        case (Seq(false, true), Inner | Cross | RightOuter) => of(join.right)
        case _ => throw combines(s"${join.joinType.sql} JOIN")
      }
    }
  }
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.{AsOf, WindowBy}
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  AsOfRows,
  CheckedAnchors,
  GroupWindows,
  PythonWindows
}

/**
 * The results of a query that depend on the rows of one key of a source: the query over the rows of
 * some keys has the results of these keys.
 *
 *     SELECT k, t, avg(x) OVER (PARTITION BY k ORDER BY t RANGE 7 PRECEDING) FROM rows
 *
 *     rows       the child of the lowest window: its rows, by key and time, are selected
 *     keys       k -> k     columns of `rows`, and the same columns in the result
 *     time       t -> t
 *     reaches    behind = 7, ahead = 0
 *
 * @param rows
 *   the plan below the lowest operator that combines rows
 * @param time
 *   the order of all windows; None if they have several
 * @param isStart
 *   whether the time of a result is the start of a window, a field of the column
 * @param reaches
 *   the reach of each operator, the lowest first
 * @param keepsRows
 *   whether the result has a row for each of `rows`
 * @param computed
 *   columns that are computed from columns of `rows`
 * @param running
 *   the running totals that continue from the table of results
 * @param others
 *   tables of whose rows only those with the same keys are needed, with the columns of the keys
 */
private[refresh] final case class KeyLocality(
    rows: LogicalPlan,
    keys: KeyLocality.Columns,
    time: Option[(Attribute, Attribute)],
    reaches: Seq[Reach],
    isStart: Boolean = false,
    keepsRows: Boolean = true,
    computed: Map[ExprId, Expression] = Map.empty,
    running: Seq[RunningResult] = Nil,
    others: Seq[(LogicalPlan, KeyLocality.Columns)] = Nil
) {

  /** The names of the keys in tables of keys and stretches. */
  def keyNames: Seq[String] = keys.indices.map(i => s"k$i")

  /** The time of `rows` and its axis. */
  def axis: Option[(Attribute, TimeAxis)] =
    time.flatMap { case (below, _) => TimeAxis.of(below.dataType).map(below -> _) }

  def effectiveReaches: Seq[Reach] = if (time.isEmpty) Seq(Reach.WholeKey) else reaches

  /** Returns why more is computed than what changed rows reach: a window or an operator. */
  def cause: Option[String] =
    reaches.find(!_.isBounded).map(_.operator).orElse(if (time.isEmpty) Some("ORDER BY") else None)

  /** Returns the locality in the output of a projection. */
  private def through(list: Seq[NamedExpression]): KeyLocality = {
    def renamed(column: Attribute): Option[Attribute] = list.collectFirst {
      case a: Attribute if isSame(a, column) => a
      case a @ Alias(SameColumn(c), _) if isSame(c, column) => a.toAttribute
    }
    def start(window: Attribute) = list.collectFirst {
      case a @ Alias(GetStructField(w: Attribute, WindowStart.Ordinal, _), _)
          if isSame(w, window) =>
        a.toAttribute
    }
    val started = if (isStart) time.flatMap { case (_, above) => start(above) } else None
    val named = withKeys(keys.flatMap { case (below, above) => renamed(above).map(below -> _) })
    named.withRunning(named.running.map(_.renamed(renamed))).copy(
      time = time.flatMap { case (below, above) =>
        started.orElse(renamed(above)).map(below -> _)
      },
      isStart = isStart && started.isEmpty,
      computed = computed ++ list.collect {
        case a @ Alias(child, _) if ofRows(child).isDefined => a.exprId -> ofRows(child).get
      }
    )
  }

  /** Returns an expression of the output as an expression of `rows`, if it can be one. */
  private def ofRows(expression: Expression): Option[Expression] = {
    val replaced = expression.transform { case a: Attribute => computed.getOrElse(a.exprId, a) }
    Some(replaced).filter(e => e.deterministic && e.references.subsetOf(rows.outputSet))
  }

  /** Adds a window over rows of the same keys. */
  private def andThen(
      reach: Reach,
      totals: Seq[RunningResult],
      isOfSameKeys: Boolean
  ): KeyLocality =
    if (keepsRows && isOfSameKeys) {
      copy(reaches = reaches :+ reach.mapConditions(ofRows), running = running ++ totals)
    } else withoutRunning.copy(reaches = reaches :+ reach.withoutRows)

  /** All running totals continue, or none does. */
  private def withRunning(totals: Seq[Option[RunningResult]]): KeyLocality =
    if (totals.contains(None)) withoutRunning else copy(running = totals.flatten)

  private def withoutRunning: KeyLocality =
    copy(running = Nil, reaches = reaches.map(_.copy(continued = None)))

  /** Returns the locality if former results of running totals are found in the result. */
  private def ofWholeQuery: KeyLocality = {
    val named = if (isStart) copy(time = None) else this
    if (keepsRows && named.time.isDefined && others.isEmpty) named else named.withoutRunning
  }

  /** Returns the locality in the output of an operator that combines rows with equal `by`. */
  private def within(by: Seq[Expression]): KeyLocality = {
    val columns = by.collect { case a: Attribute => a }
    withKeys(keys.flatMap { case (below, above) => columns.find(isSame(_, above)).map(below -> _) })
  }

  /** The columns of `rows` that are copies of another column: Spark computes aliases first. */
  private lazy val copies: Map[ExprId, ExprId] = rows match {
    case Project(list, _) =>
      list.collect { case a @ Alias(SameColumn(c), _) => a.exprId -> c.exprId }.toMap
    case _ => Map.empty
  }

  private def isSame(a: Attribute, b: Attribute): Boolean =
    copies.getOrElse(a.exprId, a.exprId) == copies.getOrElse(b.exprId, b.exprId)

  /** The rows of fewer keys are not the rows that a window counts. */
  private def withKeys(fewer: KeyLocality.Columns): KeyLocality =
    if (fewer.size == keys.size) copy(keys = fewer)
    else
      withoutRunning.copy(keys = fewer, reaches = reaches.map(_.withoutRows))
}

private[refresh] object KeyLocality {

  /** Pairs of columns: of `rows`, and of another plan. */
  type Columns = Seq[(Attribute, Attribute)]

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
    def found(isJoinCounted: Boolean) = new Walk(source, combines, isJoinCounted).of(query)
    found(isJoinCounted = false).orElse(found(isJoinCounted = true)) match {
      case None => throw error("MUNTIN_REFRESH_WITHOUT_WINDOWS", Nil)
      case Some(local) if local.keys.isEmpty => throw error("MUNTIN_REFRESH_WITHOUT_KEYS", Nil)
      case Some(local) => local.ofWholeQuery
    }
  }

  /**
   * @param isJoinCounted
   *   whether a join of Muntin combines rows if the source is on its left side, although each of
   *   its results is of one row
   */
  private final class Walk(
      source: LogicalPlan,
      combines: String => Throwable,
      isJoinCounted: Boolean
  ) extends AliasHelper {

    /** Returns None if each row of the plan is of one row of the source. */
    def of(plan: LogicalPlan): Option[KeyLocality] = plan match {
      case leaf if leaf eq source => None
      // The struct may contain keys.
      case Project(list, below: Project) if below.projectList.exists(isStruct) =>
        val aliases = getAliasMap(below)
        of(below.child).map(_.through(list.map(replaceAliasButKeepName(_, aliases))))
      case Project(list, child) => of(child).map(_.through(list))
      case Filter(_, child) => of(child).map(_.copy(keepsRows = false))
      case SubqueryAlias(_, child) => of(child)
      case view: View => of(view.child)
      case sort: Sort => of(sort.child)
      case _: RepartitionOperation | _: ResolvedHint => of(plan.children.head)
      case generate: Generate => of(generate.child).map(_.copy(keepsRows = false))
      case window: Window => Some(ofWindow(window))
      case aggregate: Aggregate => Some(ofAggregate(aggregate))
      case windows: GroupWindows => Some(ofGroupWindows(windows))
      case Distinct(child) => of(child).map(_.within(child.output).copy(keepsRows = false))
      case union: Union => ofUnion(union)
      case join: AsOfRows => ofPair(join, join.ofLeft.keys.zip(join.ofRight.keys), AsOf.name)
      case windows: AnchoredWindows =>
        ofPair(windows, windows.anchorKeys.zip(windows.sourceKeys), WindowBy.name)
      case anchors: CheckedAnchors => of(anchors.child)
      case windows: PythonWindows => of(windows.child)
      case join: Join => ofJoin(join).map(_.copy(keepsRows = false))
      case other => throw combines(other.nodeName)
    }

    private def isStruct(expression: Expression): Boolean = expression match {
      case Alias(_: CreateNamedStruct, _) => true
      case _ => false
    }

    private def ofWindow(window: Window): KeyLocality = {
      val by = window.partitionSpec
      val ordered = window.orderSpec.headOption.collect {
        case SortOrder(time: Attribute, Ascending, NullsFirst, _) => time
      }
      val axis = ordered.flatMap(time => TimeAxis.of(time.dataType))
      val reaches = window.windowExpressions
        .flatMap(_.collect { case w: WindowExpression => w })
        .map(w => w -> axis.fold(Reach.WholeKey)(Reach.of(w, _)))
      val own = reaches.map { case (w, reach) => reach.copy(operator = toPrettySQL(w)) }
        .reduceOption(_ or _).getOrElse(Reach.OwnRow)
      val lowest = axis.flatMap(_ => ordered)
      val order = window.orderSpec.map(_.child).collect { case a: Attribute => a }
      def totals(keys: Seq[Attribute]) = for {
        e <- window.windowExpressions
        function <- e.collectFirst { case w: WindowExpression => w }.flatMap(RunningFunction.of(_))
      } yield RunningResult(e.exprId, function, e.toAttribute, keys, order)
      combined(window.child, by, lowest, own, totals(_)) { below =>
        val same = below.time.filterNot(_ => below.isStart).flatMap { case (time, above) =>
          ordered.filter(below.isSame(_, above)).map(time -> _)
        }
        val isOfSameKeys = below.keys.size == by.distinct.size
        below.copy(time = same).andThen(own, totals(below.keys.map(_._2)), isOfSameKeys)
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
        reach: Reach,
        running: Seq[Attribute] => Seq[RunningResult] = _ => Nil
    )(above: KeyLocality => KeyLocality): KeyLocality = of(child) match {
      case None =>
        val keys = by.distinct.collect { case a: Attribute => a -> a }
        val isCounted = keys.size == by.distinct.size
        val all = KeyLocality(
          child,
          keys,
          lowest.map(t => t -> t),
          Seq(if (isCounted) reach else reach.withoutRows),
          running = running(keys.map(_._1))
        )
        if (isCounted) all else all.withoutRunning
      case Some(below) => above(below.within(by))
    }

    /** As `combined`, if each result may read all rows of its key. */
    private def ofWholeKeys(
        child: LogicalPlan,
        by: Seq[Expression],
        operator: String
    ): KeyLocality = {
      val reach = Reach.WholeKey.copy(operator = operator)
      combined(child, by, None, reach) { below =>
        below.copy(time = None, keepsRows = false, reaches = below.reaches :+ reach)
      }
    }

    private def ofAggregate(aggregate: Aggregate): KeyLocality =
      ofWholeKeys(aggregate.child, aggregate.groupingExpressions, "GROUP BY")
        .through(aggregate.aggregateExpressions)

    private def ofGroupWindows(windows: GroupWindows): KeyLocality = {
      if (windows.plan.ofAllGroups.isDefined || windows.plan.marks.isDefined) {
        throw combines(windows.window.prettyName)
      }
      val operator = windows.window.prettyName
      (of(windows.child), WindowStart.of(windows.window)) match {
        case (None, Some(start)) =>
          val time = Some(start.time -> windows.windowAttribute)
          val reaches = Seq(start.reach.copy(operator = operator))
          KeyLocality(windows.child, windows.keys.map(k => k -> k), time, reaches, isStart = true)
            .copy(keepsRows = false)
        case _ => ofWholeKeys(windows.child, windows.keys, operator)
      }
    }

    /** The rows of the other sides do not change. */
    private def ofUnion(union: Union): Option[KeyLocality] = {
      val side = union.children.find(_.exists(_ eq source)).get
      val columns = side.output.zip(union.output).map { case (from, to) =>
        Alias(from, to.name)(exprId = to.exprId)
      }
      of(side).map(_.through(columns).copy(keepsRows = false))
    }

    /**
     * Returns the locality of an operator that gives each row of its left side the rows of its
     * right side with equal keys.
     */
    private def ofPair(
        node: BinaryNode,
        keys: Seq[(Expression, Expression)],
        operator: String
    ): Option[KeyLocality] = {
      val reaches = Seq(Reach.WholeKey.copy(operator = operator))
      val columns = keys.collect { case (SameColumn(l), SameColumn(r)) => l -> r }
      if (node.left.exists(_ eq source)) {
        val local = of(node.left).map(_.copy(keepsRows = false))
        if (local.isDefined || !isJoinCounted) local
        else Some(KeyLocality(node.left, columns.map { case (l, _) => l -> l }, None, reaches))
      } else {
        val ofRight = columns.map { case (l, r) => r -> l }
        val local = of(node.right) match {
          case None => KeyLocality(node.right, ofRight.map { case (r, _) => r -> r }, None, Nil)
          case Some(below) => below.within(ofRight.map(_._1))
        }
        def above(r: Attribute) = ofRight.find(_._1.exprId == r.exprId).get._2
        val joined = local.keys.map { case (below, r) => below -> above(r) }
        Some(local.copy(
          keys = joined,
          time = None,
          reaches = local.reaches ++ reaches,
          keepsRows = false,
          others = local.others :+ (node.left -> joined)
        ))
      }
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

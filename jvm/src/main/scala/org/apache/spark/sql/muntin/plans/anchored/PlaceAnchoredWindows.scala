package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{AnsiTypeCoercion, TypeCoercion, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, First}
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, WINDOW}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.AnchorBounds
import org.apache.spark.sql.muntin.expressions.{Revision, WindowBy}
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupWindow}
import org.apache.spark.sql.muntin.plans.logical.{
  AggregateCollector,
  AnchoredWindows,
  CheckedAnchors,
  InlinedCtes,
  StreamKeys,
  WithColumns
}
import org.apache.spark.sql.muntin.plans.streams.UpstreamTimes
import org.apache.spark.sql.muntin.spark.{CalledAggregate, GroupBy, JoinOn}
import org.apache.spark.sql.muntin.streaming.{AnchorTimes, StreamTimes}
import org.apache.spark.sql.types.{DataType, MetadataBuilder, StructType}

/**
 * Replaces an Aggregate over the left join of window_by by an AnchoredWindows node, with a Project
 * that computes the query's outputs from its results. Runs before the optimizer, whose join rules
 * would change the join.
 */
object PlaceAnchoredWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    inlined(plan).resolveOperatorsUpWithPruning(
      _.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)
    ) {
      case aggregate @ GroupBy(Nil, _, JoinOn(left, right, LeftOuter, Some(by: WindowBy)))
          if aggregate.resolved =>
        val source =
          if (MuntinConf.isByGroup(conf)) SourceColumns.same(right) else SourceColumns(left, right)
        val renamed = aggregate.aggregateExpressions.map(source(_))
        placed(renamed, source(by), left, source.plan)
      case aggregate @ GroupBy(Nil, outputs, JoinOn(left, _, LeftOuter, Some(_: WindowBy)))
          if left.resolved =>
        outputs.foreach(_.foreach {
          case column: UnresolvedAttribute if isOfAnchor(column, left) =>
            throw ofAnchor(column.name)
          case _ =>
        })
        aggregate
    }

  // Windows that hold time back may be inside a CTE.
  private def inlined(plan: LogicalPlan): LogicalPlan =
    if (plan.isStreaming && plan.containsAllPatterns(AGGREGATE, GroupWindow.Pattern, WINDOW)) {
      InlinedCtes(plan)
    } else plan

  /** Returns true if Spark did not find the column in the source, but the anchors have it. */
  private def isOfAnchor(column: UnresolvedAttribute, packed: LogicalPlan): Boolean =
    packed.output.collect { case a if a.name.startsWith(WindowBy.Prefix) => a.dataType }.exists {
      case anchor: StructType => anchor.exists(f => conf.resolver(f.name, column.nameParts.last))
      case _ => false
    }

  private val read = new Arguments(WindowBy.name)

  private def ofAnchor(argument: String): AnalysisException =
    read.error("MUNTIN_AGGREGATE_OF_ANCHOR", "argument" -> argument)

  private def placed(
      aggregates: Seq[NamedExpression],
      by: WindowBy,
      left: LogicalPlan,
      right: LogicalPlan
  ): LogicalPlan = {
    checkSides(by, left, right)
    val isByGroup = right.isStreaming && MuntinConf.isByGroup(conf)
    val common =
      if (isByGroup) AnchoredStreamTimes.ofGroup(by, commonType(by)) else commonType(by)
    val onStream =
      if (right.isStreaming && !isByGroup) Some(AnchoredStreamTimes(by, left, right, common))
      else None
    if (left.isStreaming && !right.isStreaming) AnchoredStreamTimes.checkOverTable(by)
    if (left.isStreaming || right.isStreaming) AnchoredStreamTimes.checkOrder(by, left)
    checkOrdered(by, left, right)
    val unpacked = Unpacked(left, onStream.exists(_.delay.isEmpty))
    def time(expression: Expression): Expression =
      if (expression.dataType == common) expression
      else Cast(expression, common, Some(conf.sessionLocalTimeZone))
    def anchors(expression: Expression): Expression = unpacked(expression)
    def key(expression: Expression): Expression =
      if (right.isStreaming) StreamKeys.of(expression)
      else NormalizeFloatingNumbers.normalize(expression)
    val (anchorKeys, sourceKeys) = by.pairs.map { case (ofAnchor, ofSource) =>
      (key(anchors(ofAnchor)), key(ofSource))
    }.unzip
    val anchorSide = WithColumns(
      unpacked.plan,
      Seq("start" -> time(anchors(by.start)), "end" -> time(anchors(by.end))) ++
        anchorKeys.map("on" -> _) ++ by.obsolete.map(o => "obsolete" -> time(anchors(o))) ++
        by.order.map(o => "order" -> anchors(o)) ++
        onStream.map(t => "due" -> t.due(unpacked, time(anchors(by.end))))
    )
    val sourceSide = WithColumns(right, ("time" -> time(by.time)) +: sourceKeys.map("on" -> _))
    val (start, end) = (anchorSide.attributes(0), anchorSide.attributes(1))
    val keys = anchorSide.attributes.slice(2, 2 + anchorKeys.size)
    val more = anchorSide.attributes.drop(2 + anchorKeys.size)
    val obsolete = by.obsolete.map(_ => more.head)
    val checked = (obsolete, by.order) match {
      case (Some(promise), Some(_)) if onStream.isEmpty =>
        CheckedAnchors(keys, more.last, start, end, promise, anchorSide.plan)
      case _ => anchorSide.plan
    }
    val present = sourceSide.attributes.filter(_.nullable).map(IsNotNull(_): Expression)
    val source = present.reduceOption(And(_, _)).fold(sourceSide.plan)(Filter(_, sourceSide.plan))

    val collector = new AggregateCollector(WindowBy.name)
    def result(expression: Expression): Expression = expression match {
      case CalledAggregate(First(child, _)) if isSame(child, by.anchor) =>
        anchors(by.anchor)
      case a: AggregateExpression =>
        checkAggregate(a, right)
        collector(a)
      case a: Attribute =>
        throw read.error("MUNTIN_COLUMN_OUTSIDE_AGGREGATE", "column" -> toPrettySQL(a))
      case other => other.mapChildren(result)
    }
    // A strict list: all aggregates are collected before they are used. Scala 2.12 may have a lazy
    // Stream here.
    val outputs = aggregates.toList.map { output =>
      val made = result(output).asInstanceOf[NamedExpression]
      if (!output.exists(e => e.isInstanceOf[AggregateExpression] || e.isInstanceOf[Revision])) {
        throw noAggregate(output)
      }
      made
    }
    val times = onStream.map { known =>
      val own = known.promised(unpacked)
      AnchorTimes(
        more.last,
        obsolete,
        own.filter(_ => obsolete.isDefined || by.ordered),
        known.delay,
        by.ordered,
        own.filter(_ => UpstreamTimes.mayHoldBack(left) || UpstreamTimes.mayHoldBack(right))
      )
    }
    val windows = AnchoredWindows(
      keys,
      sourceSide.attributes.tail,
      AnchorBounds(sourceSide.attributes.head, start, end, by.closed),
      collector.functions,
      collector.results,
      checked,
      source,
      times
    )
    val inOrder =
      if (isByGroup) SelfAnchoring(windows, obsolete, by.ordered, AttributeSet(outputs))
      else if (!by.ordered || onStream.isDefined) windows
      else {
        val columns = Seq(more.last, start, end)
        Sort(columns.map(SortOrder(_, Ascending)), global = true, windows)
      }
    Project(outputs, collector.inPython(inOrder))
  }

  // The types of one attribute may differ in the nullability of struct fields.
  private def isSame(one: Expression, other: Expression): Boolean = (one, other) match {
    case (a: Attribute, b: Attribute) => a.exprId == b.exprId
    case _ => one.semanticEquals(other)
  }

  private def noAggregate(output: Expression): AnalysisException = {
    val shown = output match {
      case Alias(child, _) => toPrettySQL(child)
      case other => toPrettySQL(other)
    }
    read.error("MUNTIN_OUTPUT_WITHOUT_AGGREGATE", "output" -> shown)
  }

  private def checkAggregate(aggregate: AggregateExpression, source: LogicalPlan): Unit =
    if (!aggregate.references.subsetOf(source.outputSet)) {
      throw ofAnchor(toPrettySQL(aggregate))
    }

  /**
   * Returns the common type of all times; fails with an error that shows their types if there is
   * none.
   */
  private def commonType(by: WindowBy): DataType = {
    val types = by.times.map(_._2.dataType)
    val common =
      if (types.distinct.size == 1) types.headOption
      else if (conf.ansiEnabled) AnsiTypeCoercion.findWiderCommonType(types)
      else TypeCoercion.findWiderCommonType(types)
    common.filter(RowOrdering.isOrderable).getOrElse {
      val types = by.times.map { case (parameter, e) => s"$parameter ${e.dataType.sql}" }
      throw read.error("MUNTIN_INCOMPATIBLE_WINDOW_TIMES", "types" -> types.mkString(", "))
    }
  }

  private def checkOrdered(by: WindowBy, left: LogicalPlan, right: LogicalPlan): Unit =
    if (by.ordered) {
      if (left.isStreaming != right.isStreaming) {
        val (table, stream) =
          if (left.isStreaming) ("source", "anchors") else ("anchors", "source")
        throw read.error("MUNTIN_ORDERED_WITH_TABLE", "table" -> table, "stream" -> stream)
      } else if (!left.isStreaming && by.order.isEmpty) {
        throw read.error("MUNTIN_ORDERED_WITHOUT_ORDER")
      }
    }

  private def checkSides(by: WindowBy, left: LogicalPlan, right: LogicalPlan): Unit = {
    def check(parameter: String, expression: Expression, side: LogicalPlan, of: String): Unit =
      if (!expression.references.subsetOf(side.outputSet)) {
        throw read.error(
          "MUNTIN_ARGUMENT_OF_OTHER_TABLE",
          "parameter" -> parameter,
          "argument" -> toPrettySQL(expression),
          "table" -> of
        )
      }
    check("time", by.time, right, "source")
    (by.times.tail ++ by.order.map("order" -> _)).foreach { case (parameter, e) =>
      check(parameter, e, left, "anchors")
    }
    by.order.foreach { order =>
      if (!RowOrdering.isOrderable(order.dataType)) {
        throw read.invalidType("order", order, "a type with an order, such as TIMESTAMP")
      }
      if (by.obsolete.isEmpty && !by.ordered) {
        throw read.error(
          "MUNTIN_ARGUMENT_WITHOUT_EFFECT",
          "parameter" -> "order",
          "argument" -> toPrettySQL(order),
          "required" -> "obsolete or ordered"
        )
      }
    }
    by.pairs.foreach { case (ofAnchor, ofSource) =>
      check("on", ofAnchor, left, "anchors")
      check("on", ofSource, right, "source")
    }
  }
}

/**
 * The anchors with separate columns in place of the packed column, so that only columns that the
 * query reads are kept. The columns have new ids, because the source may have the same rows.
 */
private[plans] final class Unpacked(
    val plan: LogicalPlan,
    columns: Map[ExprId, Expression],
    fresh: AttributeMap[Attribute]
) {
  def apply(expression: Expression): Expression = expression.transformUp {
    case a: Attribute => columns.getOrElse(a.exprId, a)
  }

  /** Returns the unpacked column for a column below the packed column. */
  def inChild(column: Attribute): Attribute = fresh.getOrElse(column, column)
}

/**
 * The source with columns of its own, if both sides are streams. The sides may read one stream, and
 * the optimizer removes aliases without metadata. Then both sides would have the same attributes,
 * and which columns are pruned would depend on the micro-batch.
 */
private final class SourceColumns(val plan: LogicalPlan, fresh: AttributeMap[Attribute]) {
  def apply[E <: Expression](expression: E): E =
    if (fresh.isEmpty) expression
    else expression.transform { case a: Attribute => fresh.getOrElse(a, a) }.asInstanceOf[E]
}

private object SourceColumns {
  private val Mark = "muntin.source"

  def same(right: LogicalPlan): SourceColumns = new SourceColumns(right, AttributeMap.empty)

  def apply(left: LogicalPlan, right: LogicalPlan): SourceColumns =
    if (!left.isStreaming || !right.isStreaming) same(right)
    else {
      val aliases = right.output.map { a =>
        val metadata = new MetadataBuilder().withMetadata(a.metadata).putBoolean(Mark, true).build()
        Alias(a, a.name)(qualifier = a.qualifier, explicitMetadata = Some(metadata))
      }
      val fresh = right.output.zip(aliases.map(_.toAttribute))
      new SourceColumns(Project(aliases, right), AttributeMap(fresh))
    }
}

private object Unpacked {

  /** With `unmarked`, removes the watermark's metadata. */
  def apply(packed: LogicalPlan, unmarked: Boolean): Unpacked = packed match {
    case Project(list, child) =>
      val renamed = child.output.map { a =>
        val metadata =
          if (unmarked && StreamTimes.isMarked(a)) Some(StreamTimes.withoutMark(a.metadata))
          else None
        a -> Alias(a, a.name)(explicitMetadata = metadata)
      }
      val fresh = AttributeMap(renamed.map { case (a, alias) => a -> alias.toAttribute })
      val structs = list.collect { case a @ Alias(s: CreateNamedStruct, _) if isPlain(s) => a -> s }
      val plain = list.collect { case a @ Alias(column: Attribute, _) => a -> fresh(column) }
      val done = (structs ++ plain).map(_._1.exprId).toSet
      // Errors show the columns by these names.
      val others = list.filterNot(item => done(item.exprId)).map {
        case a @ Alias(computed, name) =>
          Alias(computed, name.stripPrefix(WindowBy.Prefix))(a.exprId)
        case other => other
      }
      val columns = structs.map { case (a, s) =>
        a.exprId -> s.transform { case c: Attribute => fresh(c) }
      } ++ plain.map { case (a, column) => a.exprId -> column }
      new Unpacked(Project(renamed.map(_._2) ++ others, child), columns.toMap, fresh)
    case other => new Unpacked(other, Map.empty, AttributeMap.empty)
  }

  private def isPlain(struct: CreateNamedStruct): Boolean =
    struct.valExprs.forall(_.isInstanceOf[Attribute])
}

/**
 * Rejects a window_by that PlaceAnchoredWindows has left: it is in a place that is not supported.
 */
object CheckAnchoredWindows extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(GroupWindow.Pattern)) check(plan)

  private def check(plan: LogicalPlan): Unit = plan.foreach {
    // DataFrame code has this join before it calls `agg`.
    case JoinOn(_, _, LeftOuter, Some(_: WindowBy)) =>
    case other =>
      if (other.expressions.exists(_.exists(_.isInstanceOf[WindowBy]))) throw misplaced(other)
  }

  def misplaced(plan: LogicalPlan): AnalysisException =
    new Arguments(WindowBy.name).error(
      "MUNTIN_MISPLACED_TABLE_FUNCTION",
      "place" -> plan.nodeName,
      "example" -> ("SELECT * FROM window_by(TABLE(source), TABLE(anchors), " +
        "aggregates => 'count(*) AS n', time => 't', start => 'lo', end => 'hi')")
    )
}

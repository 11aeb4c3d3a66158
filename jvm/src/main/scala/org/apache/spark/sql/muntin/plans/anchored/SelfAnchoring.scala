package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupAggregate}
import org.apache.spark.sql.muntin.plans.logical.{AnchoredWindows, SelfAnchoredWindows}
import org.apache.spark.sql.muntin.streaming.{AnchorTimes, AnchoredJob}
import org.apache.spark.sql.types.{BooleanType, IntegerType}

/**
 * Replaces window_by over one stream in the order `group` by a node that reads the stream once.
 * Anchors and source must be views of the same stream: then a row's time is the time of both, and
 * the rows of a group advance it. Each row of the stream arrives as a row of the source, as a
 * promise if needed, and as an anchor:
 *
 * {{{
 *   stream                   rows of the operator, for windows of 5 before and 5 after an alarm
 *   a, 10:00, 3              source 10:00
 *   a, 10:02, 99  alarm      source 10:02    promise 10:02, no window starts before 9:57
 *                            anchor 10:07, is due when a has a row after 10:07
 * }}}
 *
 * If no `obsolete` is given and windows start a fixed interval from the row's time, the start
 * itself is a promise, because the times of a group do not decrease. Guarded by GroupOrderSuite.
 */
private[plans] object SelfAnchoring {

  /**
   * Returns the node, with the anchors' columns `read` and the results.
   *
   * @param obsolete
   *   the promise of an anchor, if the query has one
   * @param isOrdered
   *   whether the anchors of a key are emitted in the order of their rows
   */
  def apply(
      windows: AnchoredWindows,
      obsolete: Option[Attribute],
      isOrdered: Boolean,
      read: AttributeSet
  ): LogicalPlan = {
    val left = StreamView(windows.left)
    val right = StreamView(windows.right).over(left.base).getOrElse(severalStreams)
    new SelfAnchoring(windows, obsolete, isOrdered, read, left, right).plan
  }

  private def severalStreams: Nothing =
    throw new Arguments(WindowBy.name).error("MUNTIN_WINDOW_BY_OF_SEVERAL_STREAMS")
}

private final class SelfAnchoring(
    windows: AnchoredWindows,
    obsolete: Option[Attribute],
    isOrdered: Boolean,
    read: AttributeSet,
    left: StreamView,
    right: StreamView
) {
  private val bounds = windows.bounds
  private val arrival = right.inBase(bounds.time)
  private val startsInOrder =
    AnchoredStreamTimes.offset(left.inBase(bounds.start), arrival)
      .exists(math.abs(_) < MICROS_PER_DAY)
  private val promise = obsolete.orElse(Option.when(startsInOrder)(bounds.start))
  private val isAnnounced = promise.isDefined || isOrdered
  if (promise.isEmpty) AnchoredStreamTimes.checkBounded()

  // New columns, since both sides may have the same.
  private def column(e: NamedExpression): AttributeReference =
    AttributeReference(e.name, e.dataType)(qualifier = e.qualifier)

  private val ofSource = AttributeSet(windows.functions).toSeq
    .filter(a => windows.right.outputSet.contains(a)).sortBy(_.name).map(a => a -> column(a))
  private val ofAnchors = windows.left.output
    .filter((read ++ AttributeSet(Seq(bounds.start, bounds.end) ++ promise)).contains)
    .map(a => a -> column(a))
  private val source = AttributeMap(ofSource)
  private val anchors = AttributeMap(ofAnchors)

  private val time = column(bounds.time)
  private val side = AttributeReference("side", IntegerType, nullable = false)()
  private val arrived = AttributeReference(bounds.time.name, bounds.time.dataType)()
  private val due = AttributeReference("due", bounds.time.dataType)()
  private val present = AttributeReference("present", BooleanType, nullable = false)()
  private val keys = new AnchoredKeys(windows)

  private def nulls(columns: Seq[(Attribute, Attribute)]): Seq[Expression] =
    columns.map { case (_, a) => Literal(null, a.dataType) }

  private def values(view: StreamView, columns: Seq[(Attribute, Attribute)]): Seq[Expression] =
    columns.map { case (a, _) => view.value(a) }

  private def ofSide(tag: Int, view: StreamView, at: Expression, on: Seq[Expression]) =
    Seq(view.isPresent, at, Literal(tag), view.value(arrival)) ++ on.map(view.value)

  private def anchor(tag: Int, at: Expression): Seq[Expression] =
    ofSide(tag, left, at, keys.ofAnchors) ++ nulls(ofSource) ++
      (dueOf +: values(left, ofAnchors))

  private def dueOf: Expression = Greatest(Seq(left.value(arrival), left.value(bounds.end)))

  private def expanded: LogicalPlan = {
    val sourceRow = ofSide(AnchoredJob.Source, right, right.value(arrival), keys.ofSource) ++
      values(right, ofSource) ++ (Literal(null, due.dataType) +: nulls(ofAnchors))
    val announced = Option.when(isAnnounced)(anchor(AnchoredJob.Promise, left.value(arrival)))
    val columns = Seq(present, time, side, arrived) ++ keys.columns ++ ofSource.map(_._2) ++
      (due +: ofAnchors.map(_._2))
    val rows =
      Expand(Seq(sourceRow) ++ announced :+ anchor(AnchoredJob.Anchor, dueOf), columns, left.base)
    val isFiltered = left.condition.isDefined || right.condition.isDefined
    Project(columns.tail, if (isFiltered) Filter(present, rows) else rows)
  }

  def plan: LogicalPlan = {
    val self = SelfAnchoredWindows(
      keys.columns,
      side,
      bounds.copy(time = time, start = anchors(bounds.start), end = anchors(bounds.end)),
      AnchorTimes(
        due,
        promise.map(anchors(_)),
        promised = Option.when(isAnnounced)(arrived),
        delay = None,
        isOrdered,
        anchorTime = None,
        arrival = Some(arrived)
      ),
      windows.functions.map { function =>
        function.transform { case a: Attribute => source.getOrElse(a, a) }
          .asInstanceOf[GroupAggregate]
      },
      windows.results,
      due +: ofAnchors.map(_._2),
      expanded
    )
    val named = ofAnchors.map { case (a, column) => Alias(column, a.name)(a.exprId) }
    Project(named ++ windows.results, self)
  }
}

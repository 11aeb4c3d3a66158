package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ExpandExec, ProjectExec, SparkPlan, UnionExec}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.logical.AnchoredWindows
import org.apache.spark.sql.muntin.plans.streams.{ReportedTimes, ResultTime}
import org.apache.spark.sql.muntin.streaming.{
  AnchoredJob,
  DueAnchorsExec,
  LateRowsExec,
  StreamClock,
  StreamWindowsExec
}
import org.apache.spark.sql.types.IntegerType

/**
 * Combines both sides of window_by over a stream into one input of a stateful operator. A row has a
 * time, its side, the keys, and the columns of both sides. The columns of the other side are null.
 * An anchor with `obsolete` appears twice: at its own time, when it is announced, and when it is
 * due.
 */
private[plans] object AnchoredStreams {
  def apply(windows: AnchoredWindows, planLater: LogicalPlan => SparkPlan): SparkPlan = {
    val sides = Sides(
      windows.onStream.flatMap(_.anchorTime).toSeq
        .flatMap(AnchoredStreamTimes.results(_, windows.left)),
      AnchoredStreamTimes.results(windows.bounds.time, windows.right)
    )
    def planned(side: LogicalPlan) = planLater(ReportedTimes.of(sides.all, sides.clock)(side))
    joined(windows, planned(windows.left), planned(windows.right), sides)
  }

  /** The times of upstream windows that each side uses; empty for a side with the watermark. */
  private final case class Sides(anchors: Seq[ResultTime], source: Seq[ResultTime]) {
    def all: Seq[ResultTime] = (anchors ++ source).distinct
    def isMixed: Boolean = all.nonEmpty && (anchors.isEmpty || source.isEmpty)
    def usesUpstream: Boolean = all.nonEmpty
    val clock: StreamClock = new StreamClock(usesUpstream = usesUpstream, isMixed)
  }

  private def joined(
      windows: AnchoredWindows,
      anchors: SparkPlan,
      source: SparkPlan,
      sides: Sides
  ): SparkPlan = {
    val bounds = windows.bounds.copy(time = windows.bounds.time.newInstance())
    val time = bounds.time
    val side = AttributeReference("side", IntegerType, nullable = false)()
    val keys = new AnchoredKeys(windows)
    val both = source.output ++ anchors.output
    def tagged(
        at: Expression,
        tag: Int,
        on: Seq[Expression],
        child: SparkPlan
    ): Seq[NamedExpression] = {
      val own = child.outputSet
      val tags = (time +: side +: keys.columns).zip(at +: Literal(tag) +: on).map { case (a, e) =>
        Alias(e, a.name)(exprId = a.exprId, explicitMetadata = Some(a.metadata))
      }
      tags ++ both.map { a =>
        if (own.contains(a)) a else Alias(Literal(null, a.dataType), a.name)(exprId = a.exprId)
      }
    }
    val times = windows.onStream.get
    val due = times.due
    val present =
      if (windows.left.isStreaming) anchors else DueAnchorsExec(due, anchors, sides.clock)
    val answered = tagged(due, AnchoredJob.Anchor, keys.ofAnchors, anchors)
    val ofLeft = times.own match {
      case Some(own) =>
        val announced =
          tagged(Coalesce(Seq(own, due)), AnchoredJob.Promise, keys.ofAnchors, anchors)
        ExpandExec(
          Seq(announced, answered).map(_.map {
            case a: Alias => a.child
            case a => a
          }),
          answered.map(_.toAttribute),
          // A late anchor is dropped: it is neither announced nor emitted.
          LateRowsExec(
            WindowBy.name,
            own,
            present,
            sides.clock,
            isTimed = false,
            usesUpstream = sides.anchors.nonEmpty
          )
        )
      case None => ProjectExec(answered, present)
    }
    val ofRight =
      ProjectExec(tagged(windows.bounds.time, AnchoredJob.Source, keys.ofSource, source), source)
    // If one side is held back, only rows of the other side can be late by the watermark.
    def inTime(side: SparkPlan, results: Seq[ResultTime]): SparkPlan =
      if (!sides.isMixed || results.nonEmpty) side
      else LateRowsExec(WindowBy.name, time, side, sides.clock, isTimed = false)
    val union =
      UnionExec(Seq(inTime(ofRight, sides.source), inTime(ofLeft, sides.anchors)))
    val job = AnchoredJob(
      keys.columns,
      side,
      bounds,
      times,
      windows.functions,
      windows.results,
      anchors.output,
      union.output,
      windows.revision
    )
    val rows = LateRowsExec(
      job.name,
      time,
      union,
      sides.clock,
      isTimed = false,
      isExchanged = sides.usesUpstream,
      usesUpstream = sides.usesUpstream
    )
    StreamWindowsExec.unplaced(job, rows, sides.clock)
  }
}

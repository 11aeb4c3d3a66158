package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, UnionExec}
import org.apache.spark.sql.muntin.streaming.{
  AnchoredJob,
  DueAnchorsExec,
  LateRowsExec,
  StreamWindowsExec
}
import org.apache.spark.sql.types.IntegerType

/**
 * Both sides of window_by over a stream, as one input of a stateful operator. A row has a time, the
 * side that it comes from, the keys, and the columns of both sides; the columns of the other side
 * are null.
 */
private[plans] object AnchoredStreams {
  def apply(windows: AnchoredWindows, anchors: SparkPlan, source: SparkPlan): SparkPlan = {
    val time = windows.time.newInstance()
    val side = AttributeReference("side", IntegerType, nullable = false)()
    // A stateful operator has one key or more.
    val ofSource = if (windows.sourceKeys.isEmpty) Seq(Literal(0)) else windows.sourceKeys
    val ofAnchors = if (windows.anchorKeys.isEmpty) Seq(Literal(0)) else windows.anchorKeys
    val keys = ofSource.map {
      case a: Attribute => AttributeReference(a.name, a.dataType)()
      case all => AttributeReference("all", all.dataType)()
    }
    val both = source.output ++ anchors.output
    def tagged(at: Expression, tag: Int, on: Seq[Expression], child: SparkPlan): SparkPlan = {
      val own = child.outputSet
      val tags = (time +: side +: keys).zip(at +: Literal(tag) +: on).map { case (a, e) =>
        Alias(e, a.name)(exprId = a.exprId, explicitMetadata = Some(a.metadata))
      }
      val columns = both.map { a =>
        if (own.contains(a)) a else Alias(Literal(null, a.dataType), a.name)(exprId = a.exprId)
      }
      ProjectExec(tags ++ columns, child)
    }
    val due =
      if (windows.left.isStreaming) anchors else DueAnchorsExec(windows.due.get, anchors)
    val union = UnionExec(Seq(
      tagged(windows.time, AnchoredJob.Source, ofSource, source),
      tagged(windows.due.get, AnchoredJob.Anchor, ofAnchors, due)
    ))
    val job = AnchoredJob(
      keys,
      time,
      side,
      windows.start,
      windows.end,
      windows.obsolete,
      windows.due.filterNot(_.exprId == windows.end.exprId).toSeq,
      windows.closed,
      windows.functions,
      windows.results,
      anchors.output,
      union.output,
      windows.delay
    )
    val rows = LateRowsExec(job.name, time, union, isTimed = false)
    StreamWindowsExec.unplaced(job, rows)
  }
}

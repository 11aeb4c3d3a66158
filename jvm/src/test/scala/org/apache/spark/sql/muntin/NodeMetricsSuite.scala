package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ENSURE_REQUIREMENTS
import org.apache.spark.sql.muntin.execution.anchored._
import org.apache.spark.sql.muntin.execution.asof.AsOfJoinExec
import org.apache.spark.sql.muntin.execution.exchange._
import org.apache.spark.sql.muntin.execution.groups._
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec
import org.apache.spark.sql.muntin.execution.overlaps.OverlapJoinExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.muntin.execution.python.PythonWindowsExec
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{Halo, MuntinSampleExec, SplitReadExec}
import org.apache.spark.sql.muntin.plans.refresh.{RefreshAction, RefreshExec, RefreshRequest}
import org.apache.spark.sql.muntin.streaming._
import org.apache.spark.sql.types.LongType

/** Checks that each physical node of Muntin has metrics, with descriptions in Spark's style. */
class NodeMetricsSuite extends MuntinSession {
  private val a = AttributeReference("a", LongType)()

  private def rows: SparkPlan = LocalTableScanExec(Seq(a), Nil, None)

  private def clock = new StreamClock

  private def all: Seq[SparkPlan] = Seq(
    AnchoredWindowsExec(Nil, Nil, AnchorBounds(a, a, a, "both"), Nil, Nil, rows, rows)(null),
    AsOfJoinExec(null, null, Inner, null, None, Nil, rows, rows),
    BootstrapExec(null, Nil, "checkpoint", None, Nil),
    BoundsExec(Literal(true), Nil, Nil, Nil, rows),
    ChangeExec(null, ChangeRequest("checkpoint", None, false, None, Map.empty), Nil),
    CheckedAnchorsExec(Nil, a, a, a, a, rows),
    ClusteredByKeysExec(Nil, rows),
    ColumnExchangeExec(SinglePartition, rows, ENSURE_REQUIREMENTS),
    DueAnchorsExec(a, rows, clock),
    FilteredColumnsExec(Literal(true), rows),
    GroupWindowsExec(Nil, null, a, Nil, Nil, None, Nil, rows)(null),
    HistoryRowsExec(Nil, rows),
    RefreshExec(null, None, RefreshRequest("target", None, RefreshAction.Replace, None), Nil),
    LateRowsExec("session", a, rows, clock),
    MuntinSampleExec(Nil, rows),
    MuntinSortExec(Nil, 0, rows),
    MuntinWindowExec(Nil, Nil, Nil, rows)(null),
    OverlapJoinExec(Nil, Nil, a, a, a, a, Inner, None, rows, rows),
    PanePartialsExec(Nil, a, Nil, Nil, Nil, rows),
    PendingExec(null, "checkpoint", None, Nil),
    ProjectedColumnsExec(Nil, rows),
    PythonWindowsExec(Nil, Nil, Nil, None, Nil, Nil, rows),
    RepartitionExec("checkpoint", 2, "copy", Nil),
    RestoreExec("checkpoint", "copy", None, Nil),
    SharedRowsExec(Nil),
    SplitReadExec(rows, Nil, Nil, 0, Halo.NoRows),
    StartCountsExec(a, a, rows),
    StateExec("checkpoint", None, Nil),
    StreamWindowsExec(null, rows, rows, clock, None, None)
  )

  test("the list contains all nodes") {
    val files = Files.walk(Path.of("src", "main")).iterator.asScala
      .filter(_.toString.endsWith(".scala"))
    val declared = files.flatMap { file =>
      "(?m)^(?:final )?case class (\\w+Exec)\\(".r
        .findAllMatchIn(Files.readString(file)).map(_.group(1))
    }.toSet
    assert(declared === all.map(_.getClass.getSimpleName).toSet)
  }

  // Spark's names for this number, in an exchange and an operator of Python.
  private val outputRows =
    Set("numOutputRows", "shuffleRecordsWritten", "pythonNumRowsReceived")

  test("each node is named Muntin… and counts its output rows") {
    all.foreach { node =>
      assert(node.nodeName.startsWith("Muntin"))
      assert(node.metrics.keySet.exists(outputRows), node.nodeName)
    }
  }

  test("descriptions are in Spark's style") {
    val words = "kept|comes|goes|stands|lies|left out|whose|such|as written|beside|behind"
    for {
      node <- all
      (name, metric) <- node.metrics
      description = metric.name.getOrElse(fail(s"$name of ${node.nodeName} has no description"))
    } assert(s"\\b(?:$words)\\b".r.findFirstIn(description).isEmpty, s"$name: $description")
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  GroupWindows,
  InlinedCtes,
  SelfAnchoredWindows,
  StreamWindows
}
import org.apache.spark.sql.muntin.spark.{JoinOn, MuntinAnalysisException}

/**
 * Rejects a query in output mode update that would leave wrong rows in the sink: an early result
 * that is withdrawn, or that passes a filter which its correction does not pass.
 */
private[plans] object UpdateMode {

  /**
   * The columns that may change from one revision to the next, and the columns that report the
   * change.
   */
  private final case class Columns(changing: AttributeSet, saying: AttributeSet) {
    def ++(other: Columns): Columns = Columns(changing ++ other.changing, saying ++ other.saying)
  }

  private val Fixed = Columns(AttributeSet.empty, AttributeSet.empty)

  def check(query: LogicalPlan): Unit = columns(InlinedCtes(query)): Unit

  /**
   * Windows below another stateful operator have only final results, so their columns are fixed.
   */
  private def columns(plan: LogicalPlan): Columns =
    if (!plan.isStreaming) Fixed
    else
      plan match {
        case windows: GroupWindows => ofGroups(windows)
        case windows: StreamWindows =>
          Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
        case windows: AnchoredWindows if windows.onStream.isDefined =>
          if (!windows.left.isStreaming) {
            throw new MuntinAnalysisException("MUNTIN_UPDATE_MODE_WITH_TABLE_OF_ANCHORS")
          }
          Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
        case windows: SelfAnchoredWindows =>
          Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
        case Project(list, child) =>
          val inputColumns = columns(child)
          def of(set: AttributeSet) = AttributeSet(
            list.filter(_.references.intersect(set).nonEmpty).map(_.toAttribute)
          )
          Columns(of(inputColumns.changing), of(inputColumns.saying))
        case Filter(condition, child) =>
          val inputColumns = columns(child)
          if (changes(condition, inputColumns)) throw filtered(condition)
          inputColumns
        case made: Generate =>
          val inputColumns = columns(made.child)
          if (changes(made.generator, inputColumns)) throw generated(made.generator)
          inputColumns
        case union: Union =>
          union.children.map { child =>
            val inputColumns = columns(child)
            def of(set: AttributeSet) = AttributeSet(
              union.output.zip(child.output).collect { case (o, c) if set.contains(c) => o }
            )
            Columns(of(inputColumns.changing), of(inputColumns.saying))
          }.reduce(_ ++ _)
        case join: Join if join.left.isStreaming && join.right.isStreaming => Fixed
        case JoinOn(left, right, _, condition) =>
          val inputColumns = columns(left) ++ columns(right)
          condition.filter(changes(_, inputColumns)).foreach(c => throw joined(c))
          inputColumns
        case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark |
            _: GlobalLimit => Fixed
        case other => other.children.map(columns).foldLeft(Fixed)(_ ++ _)
      }

  private def ofGroups(windows: GroupWindows): Columns = {
    if (windows.revision.isEmpty && windows.plan.withdraws) {
      throw new MuntinAnalysisException(
        "MUNTIN_UPDATE_MODE_WITHOUT_REVISION",
        "window" -> windows.window.sql
      )
    }
    Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
  }

  /**
   * Returns true if the value may change in the next revision, and no column in it reports the
   * change.
   */
  private def changes(value: Expression, inputColumns: Columns): Boolean =
    value.references.intersect(inputColumns.changing).nonEmpty &&
      value.references.intersect(inputColumns.saying).isEmpty

  private def joined(condition: Expression): AnalysisException =
    new MuntinAnalysisException(
      "MUNTIN_UPDATE_MODE_WITH_JOIN",
      "condition" -> toPrettySQL(condition)
    )

  private def generated(generator: Expression): AnalysisException =
    new MuntinAnalysisException(
      "MUNTIN_UPDATE_MODE_WITH_GENERATOR",
      "generator" -> toPrettySQL(generator)
    )

  private def filtered(condition: Expression): AnalysisException =
    new MuntinAnalysisException(
      "MUNTIN_UPDATE_MODE_WITH_FILTER",
      "condition" -> toPrettySQL(condition)
    )
}

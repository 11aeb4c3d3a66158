package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.expressions.Revision
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  GroupWindows,
  InlinedQueries,
  StreamWindows
}
import org.apache.spark.sql.muntin.spark.JoinOn

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

  def check(query: LogicalPlan): Unit = columns(InlinedQueries(query)): Unit

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
          if (!windows.left.isStreaming) throw ofTable
          Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
        case Project(list, child) =>
          val below = columns(child)
          def of(set: AttributeSet) = AttributeSet(
            list.filter(_.references.intersect(set).nonEmpty).map(_.toAttribute)
          )
          Columns(of(below.changing), of(below.saying))
        case Filter(condition, child) =>
          val below = columns(child)
          if (changes(condition, below)) throw filtered(condition)
          below
        case made: Generate =>
          val below = columns(made.child)
          if (changes(made.generator, below)) throw generated(made.generator)
          below
        case union: Union =>
          union.children.map { child =>
            val below = columns(child)
            def of(set: AttributeSet) = AttributeSet(
              union.output.zip(child.output).collect { case (o, c) if set.contains(c) => o }
            )
            Columns(of(below.changing), of(below.saying))
          }.reduce(_ ++ _)
        case join: Join if join.left.isStreaming && join.right.isStreaming => Fixed
        case JoinOn(left, right, _, condition) =>
          val below = columns(left) ++ columns(right)
          condition.filter(changes(_, below)).foreach(c => throw joined(c))
          below
        case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark |
            _: GlobalLimit => Fixed
        case other => other.children.map(columns).foldLeft(Fixed)(_ ++ _)
      }

  private def ofGroups(windows: GroupWindows): Columns = {
    if (windows.revision.isEmpty && windows.plan.withdraws) throw invalid(
      s"update, of ${windows.window.sql}: a row that comes later may undo a window that is open, " +
        "so that an earlier answer is withdrawn. A column has to say so: SELECT …, " +
        s"${Revision.name}() in SQL, mt.${Revision.name}() in Python. Or write " +
        "outputMode(\"append\")"
    )
    Columns(AttributeSet(windows.results), AttributeSet(windows.revision))
  }

  private def ofTable: AnalysisException = invalid(
    "update, of window_by with a table of anchors: an anchor of a table waits nowhere and comes " +
      "when its window is over, with its final result alone. Read the anchors as a stream " +
      "(spark.readStream), with a watermark, or write outputMode(\"append\")"
  )

  /**
   * Returns true if the value may change in the next revision, and no column in it reports the
   * change.
   */
  private def changes(value: Expression, below: Columns): Boolean =
    value.references.intersect(below.changing).nonEmpty &&
      value.references.intersect(below.saying).isEmpty

  private def joined(condition: Expression): AnalysisException = invalid(
    s"update, with a join by ${condition.sql}, on what may change: a correction may meet other " +
      "rows of the table than the answer before it, or none, and the rows of that answer would " +
      "stay. Join the table that is written, or by keys and windows alone; or write " +
      "outputMode(\"append\")"
  )

  private def generated(generator: Expression): AnalysisException = invalid(
    s"update, with rows made by ${generator.sql} of what may change: a correction may have fewer " +
      "of them, and the others would stay. Make them of the table that is written, or write " +
      "outputMode(\"append\")"
  )

  private def filtered(condition: Expression): AnalysisException = invalid(
    s"update, with the filter ${condition.sql} on what may change: the correction of a row that " +
      "has passed it might not pass it, and the row would stay. Filter the table that is " +
      "written, or by keys and windows alone; or write outputMode(\"append\")"
  )

  private def invalid(value: String): AnalysisException =
    InvalidArgument("writeStream", "outputMode", value)
}

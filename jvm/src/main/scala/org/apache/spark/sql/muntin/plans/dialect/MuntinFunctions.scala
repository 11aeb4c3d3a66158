package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.groups.Intervals
import org.apache.spark.sql.muntin.expressions._
import org.apache.spark.sql.muntin.expressions.common.{RowTime, SqlFunction}
import org.apache.spark.sql.muntin.partials.{MergePartial, Partial}

/** A table function, for FROM; `tables` are its parameters that are tables. */
final case class TableFunction(
    function: SqlFunction,
    tables: Set[String],
    table: Seq[Expression] => LogicalPlan
)

/** Lists every function that Muntin adds to SQL. */
object MuntinFunctions {
  val all: Seq[SqlFunction] = Seq(
    Sliding,
    Since,
    Session,
    SessionNumber,
    Fill,
    Framed,
    IsComplete,
    Partial,
    MergePartial,
    Nth,
    Rate,
    Completeness,
    Delta,
    PctChange,
    CounterIncrease,
    CounterRate,
    TimeWeightedAvg,
    TopN,
    BottomN,
    Histogram,
    EwmMean,
    EwmVar,
    EwmStd,
    EwmCov,
    EwmCorr,
    RowTime,
    TimeSteps,
    FieldWindow,
    Tumble,
    Hop,
    Validity,
    Intervals,
    TickWindow,
    Sessions,
    WindowBy,
    Resample,
    AsOf,
    Overlaps,
    Bound,
    Revision,
    WindowRows
  )

  val tables: Seq[TableFunction] = Seq(
    TableFunction(WindowBy, Set("source", "anchors"), WindowByTable(_)),
    TableFunction(Resample, Set("rows"), ResampleTable(_)),
    TableFunction(Pending, Set("query"), PendingTable(_)),
    TableFunction(State, Set.empty, StateTable(_)),
    TableFunction(Restore, Set.empty, RestoreTable(_)),
    TableFunction(Repartition, Set.empty, RepartitionTable(_)),
    TableFunction(
      Bootstrap,
      Set("query", "history") ++ Bootstrap.Histories,
      BootstrapTable(_)
    ),
    TableFunction(Compare, Set("query"), ChangeTable.compare(_)),
    TableFunction(Change, Set("query"), ChangeTable.change(_)),
    TableFunction(Refresh, Set("query", "changes"), RefreshFunction.refresh(_)),
    TableFunction(Affected, Set("query", "changes"), RefreshFunction.affected(_))
  )
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.muntin.execution.groups.Intervals
import org.apache.spark.sql.muntin.expressions.{
  Bound,
  Completeness,
  Delta,
  FieldWindow,
  Framed,
  IsComplete,
  Nth,
  Rate,
  Revision,
  RowTime,
  Since,
  Sliding,
  SqlFunction,
  TickWindow,
  Validity,
  WindowBy,
  WindowRows
}
import org.apache.spark.sql.muntin.partials.{MergePartial, Partial}

/** Every function that Muntin adds to SQL. */
object MuntinFunctions {
  val all: Seq[SqlFunction] = Seq(
    Sliding,
    Since,
    Framed,
    IsComplete,
    Partial,
    MergePartial,
    Nth,
    Rate,
    Completeness,
    Delta,
    RowTime,
    FieldWindow,
    Validity,
    Intervals,
    TickWindow,
    WindowBy,
    Bound,
    Revision,
    WindowRows
  )
}

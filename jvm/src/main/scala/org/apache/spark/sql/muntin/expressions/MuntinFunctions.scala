package org.apache.spark.sql.muntin.expressions

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
    RowTime,
    FieldWindow,
    Validity,
    Intervals,
    TickWindow,
    WindowBy
  )
}

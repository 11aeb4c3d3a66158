package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, SessionWindow, TimeWindow}
import org.apache.spark.sql.muntin.expressions.Validity
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, TimestampNTZType, TimestampType}

/**
 * The metadata of a window's column. It marks the column as a window, as Spark's `window` does, so
 * Spark's `window_time(w)` accepts it.
 */
private[plans] object GroupWindowColumn {
  private val Own = "muntin.window"

  /** Returns the metadata; windows whose second field is a known end time carry Spark's marker. */
  def metadata(window: GroupWindow): Metadata = {
    val isEnded = window match {
      case v: Validity => !v.byElement
      case _ => true
    }
    val isTime = window.dataType.fields.lift(1).map(_.dataType).exists {
      case TimestampType | TimestampNTZType => true
      case _ => false
    }
    if (!isEnded || !isTime) Metadata.empty
    else new MetadataBuilder().putBoolean(TimeWindow.marker, true).putBoolean(Own, true).build()
  }

  /** Returns true if the column is a Muntin window whose end is a known time. */
  def isOwn(column: Attribute): Boolean =
    column.metadata.contains(Own) && column.metadata.contains(TimeWindow.marker)

  /** Returns true if the column is one of Spark's own windows. */
  def isSparks(column: Attribute): Boolean = {
    val marked = column.metadata.contains(TimeWindow.marker) ||
      column.metadata.contains(SessionWindow.marker)
    marked && !column.metadata.contains(Own)
  }
}

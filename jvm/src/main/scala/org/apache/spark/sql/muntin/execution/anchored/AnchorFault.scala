package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/** A mistake in an anchor: the condition of its error, and the parameter of window_by. */
private[muntin] sealed abstract class AnchorFault(condition: String, parameter: String) {

  /** Returns the error for this anchor. */
  def error(anchor: String): RuntimeException = new MuntinRuntimeException(
    condition,
    "function" -> WindowBy.name,
    "parameter" -> parameter,
    "row" -> anchor
  )
}

private[muntin] object AnchorFault {
  case object NullStart extends AnchorFault("MUNTIN_NULL_ANCHOR_TIME", "start")
  case object NullEnd extends AnchorFault("MUNTIN_NULL_ANCHOR_TIME", "end")
  case object InfiniteEnd extends AnchorFault("MUNTIN_ANCHOR_END_NOT_FINITE", "end")
  case object StartsAfterEnd extends AnchorFault("MUNTIN_ANCHOR_STARTS_AFTER_END", "start")
}

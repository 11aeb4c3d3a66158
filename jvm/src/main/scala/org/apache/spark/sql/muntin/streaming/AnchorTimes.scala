package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord

/**
 * The times of anchors over a stream.
 *
 * @param due
 *   the anchor's row time, no earlier than the end of its window
 * @param obsolete
 *   a lower bound of the window start of all later anchors
 * @param promised
 *   the anchor's own time, which orders the anchors (if it is not `due`)
 * @param delay
 *   the delay, in microseconds, from the time with the watermark to an anchor's result
 * @param isOrdered
 *   whether results are emitted in the order of `promised`
 * @param anchorTime
 *   the anchors' time with the watermark, if upstream windows may hold back the time of a side
 * @param arrival
 *   the time of the row of the stream that is an anchor, or a row of the source; only if both sides
 *   are one stream, in the order `group`
 */
final case class AnchorTimes(
    due: Attribute,
    obsolete: Option[Attribute],
    promised: Option[Attribute],
    delay: Option[Long],
    isOrdered: Boolean,
    anchorTime: Option[Attribute],
    arrival: Option[Attribute] = None
) extends ExpressionRecord {

  /**
   * Returns the anchor's own time, at which it also arrives as a promise; None if `due` is its own
   * time.
   */
  def own: Option[Attribute] = promised.filter(_.exprId != due.exprId)
}

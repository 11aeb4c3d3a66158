package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.expressions.ExpressionRecord

/**
 * The times of anchors over a stream.
 *
 * @param due
 *   the anchor's row time, no earlier than the end of its window
 * @param obsolete
 *   a time that no later anchor's window begins before
 * @param promised
 *   the anchor's own time, by which anchors are earlier and later (if it is not `due`)
 * @param delay
 *   how long after the time with the watermark an anchor has its result, in microseconds
 * @param isOrdered
 *   whether results are emitted in the order of `promised`
 * @param anchorTime
 *   the anchors' time with the watermark, if upstream windows may hold back the time of a side
 */
final case class AnchorTimes(
    due: Attribute,
    obsolete: Option[Attribute],
    promised: Option[Attribute],
    delay: Option[Long],
    isOrdered: Boolean,
    anchorTime: Option[Attribute]
) extends ExpressionRecord {

  /**
   * The anchor's own time, at which it also comes as a promise; None if it promises when it is due.
   */
  def own: Option[Attribute] = promised.filter(_.exprId != due.exprId)
}

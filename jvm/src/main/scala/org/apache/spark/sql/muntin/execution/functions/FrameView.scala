package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.columns.{Column, Slots}
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * A frame over the same rows and columns as `frame`, whose accumulators are driven in another way.
 */
private[execution] abstract class FrameView(frame: FrameBuilder) extends FrameBuilder {
  final override def memory: Memory = frame.memory
  final override def column(expression: Expression): Column = frame.column(expression)
  final override def objectColumn(expression: Expression): Column = frame.objectColumn(expression)
  final override def slots: Option[Slots] = frame.slots
  final override def isFollowed: Boolean = frame.isFollowed
}

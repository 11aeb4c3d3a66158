package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  FrameType,
  SortOrder,
  SpecifiedWindowFrame,
  WindowExpression,
  WindowFrame,
  WindowSpecDefinition
}

/** A function with its OVER clause. */
object OverCall {
  def apply(function: Expression, over: WindowSpecDefinition): WindowExpression =
    WindowExpression(function, over)

  def unapply(call: WindowExpression): Some[(Expression, WindowSpecDefinition)] =
    Some((call.windowFunction, call.windowSpec))
}

/** An OVER clause: the keys of PARTITION BY, the order, and the frame. */
object OverClause {
  def apply(
      keys: Seq[Expression],
      order: Seq[SortOrder],
      frame: WindowFrame
  ): WindowSpecDefinition = WindowSpecDefinition(keys, order, frame)

  def unapply(
      over: WindowSpecDefinition
  ): Some[(Seq[Expression], Seq[SortOrder], WindowFrame)] =
    Some((over.partitionSpec, over.orderSpec, over.frameSpecification))
}

/** The text of a frame: ROWS or RANGE, and both ends. */
object FrameBetween {
  def apply(kind: FrameType, lower: Expression, upper: Expression): SpecifiedWindowFrame =
    SpecifiedWindowFrame(kind, lower, upper)

  def unapply(frame: SpecifiedWindowFrame): Some[(FrameType, Expression, Expression)] =
    Some((frame.frameType, frame.lower, frame.upper))
}

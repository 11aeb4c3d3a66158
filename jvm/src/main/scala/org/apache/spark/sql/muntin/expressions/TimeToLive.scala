package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.{Arguments, MovingFunction, SessionGap}
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}

/**
 * A function with the argument `ttl`, which restricts its window to the rows of its partition
 * without a longer gap: each longer gap begins a new partition, as if the number of gaps so far
 * were another key.
 *
 *     sliding(sum(x), 3, ttl => 10) OVER (PARTITION BY k ORDER BY t)
 *     sliding(sum(x), 3) OVER (PARTITION BY k, n ORDER BY t)
 *         where n is session_number(10) OVER (PARTITION BY k ORDER BY t)
 *
 * On a stream, PlaceStreamWindows replaces the additional key by the time to live of the group's
 * state.
 */
private[expressions] trait TimeToLive extends MovingFunction {
  private lazy val ttlAt = definition.parameters.indexWhere(_.name == "ttl")

  override private[muntin] def result(
      window: WindowExpression,
      arguments: Seq[Expression]
  ): Expression = withTtl(window, arguments)

  /** Returns the window with the call's argument `ttl`. */
  protected final def withTtl(
      window: WindowExpression,
      arguments: Seq[Expression]
  ): WindowExpression =
    new Arguments(name).expression(arguments(ttlAt))
      .fold(window)(TimeToLive.within(name, window, _))
}

private object TimeToLive {
  private val running = FrameBetween(RowFrame, UnboundedPreceding, CurrentRow)

  def within(function: String, window: WindowExpression, ttl: Expression): WindowExpression =
    window match {
      case OverCall(_, spec) =>
        val read = new Arguments(function)
        if (spec.orderSpec.isEmpty) {
          val call = s"$function(…, ttl => ${ttl.sql})"
          throw read.error("MUNTIN_MISSING_ORDER_BY", "call" -> call)
        }
        val gap = SessionGap.read(
          read,
          "ORDER BY",
          spec.orderSpec.head.child,
          ttl,
          named = "ttl"
        )
        val number = SessionNumber(spec.orderSpec.map(_.child), ttl, Some(gap), ofTtl = true)
        val histories = OverCall(number, spec.copy(frameSpecification = running))
        window.copy(windowSpec = spec.copy(partitionSpec = spec.partitionSpec :+ histories))
    }
}

package org.apache.spark.sql.muntin.aggregates

import io.muntin.kernel.{AggregateState, MergeableState}
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

/** A Muntin aggregate whose buffer is a kernel state. */
trait StateAggregate[S <: MergeableState[S]] extends TypedImperativeAggregate[S] with SmallBuffer {
  override def merge(state: S, later: S): S = {
    state.merge(later)
    state
  }

  override def serialize(state: S): Array[Byte] = AggregateState.toBytes(state)

  override def deserialize(bytes: Array[Byte]): S =
    AggregateState.ofBytes(bytes, createAggregationBuffer())
}

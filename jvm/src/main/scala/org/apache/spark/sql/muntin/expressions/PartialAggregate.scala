package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.muntin.partials.{PartialState, PartialStates, Way}

/** What makes partials, and what merges them: aggregates whose buffer is a partial. */
trait PartialAggregate extends TypedImperativeAggregate[PartialState] {

  /** What is kept, and what is made of it. */
  def way: Way

  @transient protected final lazy val states = new PartialStates(way.components)

  override def createAggregationBuffer(): PartialState = states.start()

  override def merge(state: PartialState, other: PartialState): PartialState = {
    states.merge(state, other)
    state
  }

  override def serialize(state: PartialState): Array[Byte] = states.toBytes(state)

  override def deserialize(bytes: Array[Byte]): PartialState = states.ofBytes(bytes)

  override def sql(isDistinct: Boolean): String = sql

  override def toAggString(isDistinct: Boolean): String = sql

  override def toString: String = sql
}

package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.muntin.aggregates.SmallBuffer

/**
 * An aggregate whose buffer is a partial: `partial` makes partials, `merge_partial` merges them.
 */
trait PartialAggregate extends TypedImperativeAggregate[PartialState]
    with SmallBuffer {

  /** Which components are kept, and the last step. */
  def recipe: Recipe

  override def isSmall: Boolean = recipe.components.forall(_.isSmall)

  @transient protected final lazy val states = new PartialStates(recipe.components)

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

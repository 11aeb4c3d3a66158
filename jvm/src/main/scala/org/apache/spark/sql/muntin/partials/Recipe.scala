package org.apache.spark.sql.muntin.partials

/**
 * A recipe of an aggregate's value: the components that it needs, and the last step.
 *
 *     avg(x)      the count of x and the sum of x; the last step divides
 *     sum(x)      the same components; the last step takes the sum
 */
final case class Recipe(components: Seq[Component], finish: Finish)

/** An aggregate's last step, in a task. */
abstract class Finish {

  /** The aggregate's value, from the states of the recipe's components, in their order. */
  def apply(states: Seq[ComponentState]): Any
}

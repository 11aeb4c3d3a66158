package org.apache.spark.sql.muntin.partials

/** A way to an aggregate's value: the components that it needs, and the last step. */
final case class Way(components: Seq[Component], finish: Finish)

/** An aggregate's last step, in a task. */
abstract class Finish {

  /** The value of these, in the order of the way's components. */
  def apply(states: Seq[ComponentState]): Any
}

package org.apache.spark.sql.muntin.partials

/**
 * How to compute an aggregate's value: the components that it needs, and the last step.
 *
 *     avg(x)      the count of x and the sum of x; the last step divides
 *     sum(x)      the same components; the last step takes the sum
 */
final case class PartialLayout(partialFields: Seq[PartialField], finalizer: PartialLayout.Finalizer)

object PartialLayout {

  /** An aggregate's last step, in a task: its value, from the fields of the components in order. */
  type Finalizer = Array[_ <: FieldState] => Any
}

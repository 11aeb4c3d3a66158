package io.muntin.kernel.fields

/**
 * There is no window for a row, or none that its type can hold: why, and what to do, in
 * `parameter`'s terms.
 */
final class UnfitRow(val parameter: String, message: String)
    extends IllegalArgumentException(message)

object UnfitRow {

  /** A field has to have a value. */
  def missing(field: String): UnfitRow = missing("field", field)

  def missing(parameter: String, field: String): UnfitRow = new UnfitRow(
    parameter,
    s"$field is NULL and in no window; leave such rows out: WHERE $field IS NOT NULL"
  )
}

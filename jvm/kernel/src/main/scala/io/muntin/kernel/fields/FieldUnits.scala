package io.muntin.kernel.fields

/**
 * Numbered units along a field, such as the days of a calendar, which need not have one length.
 * Each unit follows the unit before without a hole.
 */
abstract class FieldUnits {

  /** Returns the number of the unit that holds a value of the field. */
  def of(value: Long): Long

  /** Returns the first value of a unit; an end of Long if the unit begins beyond it. */
  def start(unit: Long): Long
}

object FieldUnits {

  /** Each value is a unit. */
  object Single extends FieldUnits {
    override def of(value: Long): Long = value

    override def start(unit: Long): Long = unit
  }
}

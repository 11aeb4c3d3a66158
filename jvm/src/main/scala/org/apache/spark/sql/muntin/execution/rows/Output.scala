package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.extremes.Pick
import org.apache.spark.sql.catalyst.InternalRow

/** Writes one function's result for the current row into its field of the result row. */
abstract class Output {
  def write(target: InternalRow): Unit

  /** Returns true if the result can differ between two rows whose frames contain the same rows. */
  def followsRow: Boolean = false
}

/** Writes the value at the position of a pick. */
final class PickOutput(pick: Pick, ordinal: Int, writer: Writer) extends Output {
  override def write(target: InternalRow): Unit = {
    val position = pick.position
    if (position < 0 || pick.values.isNull(position)) target.setNullAt(ordinal)
    else writer.write(pick.values, position, target)
  }
}

/** Writes a double, or null if `isNull` is true. */
abstract class DoubleOutput(ordinal: Int) extends Output {
  protected def isNull: Boolean
  protected def value: Double

  final override def write(target: InternalRow): Unit =
    if (isNull) target.setNullAt(ordinal) else target.setDouble(ordinal, value)
}

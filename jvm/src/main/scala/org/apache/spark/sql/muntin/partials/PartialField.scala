package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType}

/** A part of an aggregate's state: a field of a partial. */
abstract class PartialField {
  def name: String
  def dataType: DataType

  /** Returns the state of no rows. */
  def start(): MergeableFieldState

  /**
   * Returns true if its size does not depend on the number of rows, and all of its state is stored.
   */
  def isSmall: Boolean = false
}

/** The state in one field of a partial. */
trait FieldState {

  /** Returns the value to store, which later changes do not affect; null if there is none. */
  def value: Any
}

/** A field that counts rows. */
trait CountField extends FieldState {
  def count: Long

  final override def value: Any = count
}

/** The state of a component, to which a task adds rows and partials. */
trait MergeableFieldState extends FieldState {

  /** Adds a row. */
  def update(inputs: Inputs): Unit

  /** Adds the value of another partial's field, which is not null. */
  def merge(stored: Any): Unit
}

/**
 * The inputs of an aggregate from a row: the evaluated inputs, and the row, for inputs that the
 * aggregate evaluates itself.
 */
final class Inputs {
  var x: Any = _
  var y: Any = _
  var row: InternalRow = _

  def hasX: Boolean = x != null

  def hasPair: Boolean = x != null && y != null
}

/** Counts the rows in which all counted inputs are not null. */
final case class CountPartialField(name: String, counts: Inputs => Boolean) extends PartialField {
  override def dataType: DataType = LongType

  override def isSmall: Boolean = true

  override def start(): CountState = new CountState(counts)
}

final class CountState(counts: Inputs => Boolean) extends MergeableFieldState with CountField {
  private var n = 0L

  override def count: Long = n

  override def update(inputs: Inputs): Unit = if (counts(inputs)) n += 1

  override def merge(stored: Any): Unit = n += stored.asInstanceOf[Long]
}

package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType}

/** A part of an aggregate's state: a field of a partial. */
abstract class Component {
  def name: String
  def dataType: DataType

  /** That of no rows. */
  def start(): ComponentState

  /** Whether it takes as much room however many rows it is of, and stored is all that it is. */
  def isSmall: Boolean = false
}

/** A component of one partial, in a task. */
abstract class ComponentState {

  /** Adds a row. */
  def update(inputs: Inputs): Unit

  /** Adds what another partial has in this field, which is not null. */
  def merge(stored: Any): Unit

  /** What is stored; null where there is nothing to store. Later changes do not change it. */
  def value: Any
}

/**
 * What an aggregate reads of a row: its inputs, evaluated, and the row for what it reads itself.
 */
final class Inputs {
  var x: Any = _
  var y: Any = _
  var row: InternalRow = _

  def hasX: Boolean = x != null

  def hasPair: Boolean = x != null && y != null
}

/** How many rows have all the inputs that are counted. */
final case class CountComponent(name: String, counts: Inputs => Boolean) extends Component {
  override def dataType: DataType = LongType

  override def isSmall: Boolean = true

  override def start(): CountState = new CountState(counts)
}

final class CountState(counts: Inputs => Boolean) extends ComponentState {
  private var n = 0L

  def count: Long = n

  /** Becomes that of so many rows. */
  def set(count: Long): Unit = n = count

  override def update(inputs: Inputs): Unit = if (counts(inputs)) n += 1

  override def merge(stored: Any): Unit = n += stored.asInstanceOf[Long]

  override def value: Any = n
}

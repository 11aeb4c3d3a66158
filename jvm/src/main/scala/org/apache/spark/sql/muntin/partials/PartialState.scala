package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}

/** The state of a partial in the making: of each of its components. */
final class PartialState(val parts: Array[ComponentState]) {

  /** The states of all components, not copied. */
  def all: Seq[ComponentState] = Wrapped(parts)
}

/** Makes, sends and stores the states of these components, in a task. */
final class PartialStates(components: Seq[Component]) {
  private val types = components.map(_.dataType).toArray
  private lazy val projection = UnsafeProjection.create(types)
  private lazy val received = new UnsafeRow(types.length)

  def start(): PartialState = new PartialState(components.iterator.map(_.start()).toArray)

  /** The components as a row, from field `offset` on; the fields before it are null. */
  def row(state: PartialState, offset: Int = 0): InternalRow = {
    val row = new GenericInternalRow(offset + types.length)
    var i = 0
    while (i < types.length) {
      row.update(offset + i, state.parts(i).value)
      i += 1
    }
    row
  }

  def toBytes(state: PartialState): Array[Byte] = projection(row(state)).getBytes

  def ofBytes(bytes: Array[Byte]): PartialState = {
    val state = start()
    received.pointTo(bytes, bytes.length)
    var i = 0
    while (i < types.length) {
      if (!received.isNullAt(i)) state.parts(i).merge(received.get(i, types(i)))
      i += 1
    }
    state
  }

  /** Adds `other` to `state`. */
  def merge(state: PartialState, other: PartialState): Unit = {
    var i = 0
    while (i < types.length) {
      val stored = other.parts(i).value
      if (stored != null) state.parts(i).merge(stored)
      i += 1
    }
  }
}

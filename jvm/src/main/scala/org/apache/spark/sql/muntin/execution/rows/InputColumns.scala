package org.apache.spark.sql.muntin.execution.rows

import scala.collection.mutable

import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The columns of an operator: each expression that its functions and frames read is evaluated once
 * per row and kept once. A plain column of the child is read from the row itself; one projection
 * computes all other expressions. If memory is short, columns are spilled, if the memory has a
 * disk.
 */
final class InputColumns(
    childOutput: Seq[Attribute],
    memory: Memory,
    code: GeneratedCode
) {
  def this(childOutput: Seq[Attribute], memory: Memory) =
    this(childOutput, memory, new GeneratedCode(childOutput))

  private val columns = mutable.LinkedHashMap.empty[(Expression, Boolean), Column]
  private val direct = mutable.ArrayBuffer.empty[Feeder]
  private val attributes = mutable.HashMap.empty[ExprId, mutable.ArrayBuffer[(Column, Feeder)]]
  private val computed = mutable.ArrayBuffer.empty[(Expression, Feeder)]

  def apply(expression: Expression): Column = column(expression, asObject = false)

  def asObject(expression: Expression): Column = column(expression, asObject = true)

  private def column(expression: Expression, asObject: Boolean): Column =
    columns.getOrElseUpdate((expression.canonicalized, asObject), make(expression, asObject))

  private def make(expression: Expression, asObject: Boolean): Column = {
    val valueType =
      if (asObject) ValueType.asObject(expression.dataType) else ValueType(expression.dataType)
    val column = valueType.column(memory, expression.nullable)
    memory.paging.foreach(column.spillTo)
    expression match {
      case a: Attribute =>
        direct += valueType.feeder(column, childOutput.indexWhere(_.exprId == a.exprId))
        attributes.getOrElseUpdate(a.exprId, mutable.ArrayBuffer.empty) += column -> direct.last
      case other =>
        computed += other -> valueType.feeder(column, computed.size)
    }
    column
  }

  /** Adds a row to every column. Use it after every column has been requested. */
  lazy val feed: InternalRow => Unit = {
    val fromRow = direct.toArray
    val fromProjection = computed.map(_._2).toArray
    if (fromProjection.isEmpty) row => append(fromRow, row)
    else {
      val projection = code.projection(computed.map(_._1).toSeq)
      row => {
        append(fromRow, row)
        append(fromProjection, projection(row))
      }
    }
  }

  /** Reorders the rows: position i receives the row that was at `order(i)`. */
  def reorder(order: Array[Int]): Unit = columns.values.foreach(_.reorder(order))

  def clear(): Unit = columns.values.foreach(_.clear())

  /** Starts with the row at `first`. */
  def clear(first: Long): Unit = columns.values.foreach(_.clear(first))

  def close(): Unit = columns.values.foreach(_.close())

  /** Returns the columns that hold the attribute itself, after every column has been requested. */
  def bound(attribute: Attribute): BoundColumns = {
    val found = attributes.get(attribute.exprId).toArray.flatten
    new BoundColumns(found.map(_._1), found.map(_._2))
  }

  private def append(feeders: Array[Feeder], row: InternalRow): Unit = {
    var i = 0
    while (i < feeders.length) {
      feeders(i).append(row)
      i += 1
    }
  }
}

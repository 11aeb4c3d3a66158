package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider

/** The state of one partition of an operator in a micro-batch, until it is committed. */
class StateOfPartition private () {
  def operator: Long = Streams.refused

  def partition: Int = Streams.refused

  def version: Long = Streams.refused

  def open(family: StatefulExec.Family): Unit = Streams.refused

  def get(family: StatefulExec.Family, key: UnsafeRow): UnsafeRow = Streams.refused

  def put(family: StatefulExec.Family, key: UnsafeRow, value: UnsafeRow): Unit = Streams.refused

  def remove(family: StatefulExec.Family, key: UnsafeRow): Unit = Streams.refused

  def visit(family: StatefulExec.Family)(next: (UnsafeRow, UnsafeRow) => Boolean): Unit =
    Streams.refused

  def commit(): Unit = Streams.refused
}

object StateOfPartition {
  val Provider: String = classOf[RocksDBStateStoreProvider].getName
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider

/** The state of one partition of an operator in a micro-batch, until it is committed. */
class StateOfPartition private () {
  def operator: Long = Streams.unsupported

  def partition: Int = Streams.unsupported

  def folder: String = Streams.unsupported

  def version: Long = Streams.unsupported

  def open(family: StatefulExec.Family): Unit = Streams.unsupported

  def get(family: StatefulExec.Family, key: UnsafeRow): UnsafeRow = Streams.unsupported

  def put(family: StatefulExec.Family, key: UnsafeRow, value: UnsafeRow): Unit = Streams.unsupported

  def remove(family: StatefulExec.Family, key: UnsafeRow): Unit = Streams.unsupported

  def visit(family: StatefulExec.Family)(next: (UnsafeRow, UnsafeRow) => Boolean): Unit =
    Streams.unsupported

  def pairs(family: StatefulExec.Family): Iterator[(UnsafeRow, UnsafeRow)] = Streams.unsupported

  def commit(): Unit = Streams.unsupported
}

object StateOfPartition {
  val Provider: String = classOf[RocksDBStateStoreProvider].getName
}

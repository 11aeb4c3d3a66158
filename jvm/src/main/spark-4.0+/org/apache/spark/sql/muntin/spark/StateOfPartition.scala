package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.{RocksDBStateStoreProvider, StateStore}

/** The state of one partition of an operator in a micro-batch, until it is committed. */
class StateOfPartition(private[spark] val store: StateStore) {

  /** The operator's number in its query. */
  def operator: Long = store.id.operatorId

  def partition: Int = store.id.partitionId

  /** The folder of its files. */
  def folder: String = store.id.storeCheckpointLocation().toString

  /** The number of micro-batches committed before. */
  def version: Long = store.version

  /** Call it for a family before other calls with the family. */
  def open(family: StatefulExec.Family): Unit = store.createColFamilyIfAbsent(
    family.name,
    family.key,
    StatefulExec.Value,
    family.encoder,
    useMultipleValuesPerKey = false,
    isInternal = false
  )

  /** Returns null if there is no value. */
  def get(family: StatefulExec.Family, key: UnsafeRow): UnsafeRow = store.get(key, family.name)

  def put(family: StatefulExec.Family, key: UnsafeRow, value: UnsafeRow): Unit =
    store.put(key, value, family.name)

  def remove(family: StatefulExec.Family, key: UnsafeRow): Unit = store.remove(key, family.name)

  /**
   * Passes each key with its value to `next`, in the order of the family, until it returns false.
   */
  def visit(family: StatefulExec.Family)(next: (UnsafeRow, UnsafeRow) => Boolean): Unit =
    StoredPairs.visit(store, family.name)(pair => next(pair.key, pair.value))

  /**
   * Returns all keys of a family, with their values, in the order of the family. A pair is valid
   * until the next, and all until the task ends.
   */
  def pairs(family: StatefulExec.Family): Iterator[(UnsafeRow, UnsafeRow)] =
    StoredPairs.all(store, family.name).map(pair => (pair.key, pair.value))

  def commit(): Unit = store.commit(): Unit
}

object StateOfPartition {

  /** Spark's only state store with column families and ordered keys. */
  val Provider: String = classOf[RocksDBStateStoreProvider].getName
}

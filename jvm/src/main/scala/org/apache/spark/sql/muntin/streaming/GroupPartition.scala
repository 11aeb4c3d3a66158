package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.muntin.spark.{MuntinRuntimeException, StateOfPartition}
import org.apache.spark.sql.types.DataType

/** Computes the partition of a group's rows after Spark's exchange. */
private[streaming] final class GroupPartition(keys: Seq[DataType], partitions: Int) {
  private val row = new UnsafeRow(keys.size)
  private val number: Expression = {
    val columns = keys.zipWithIndex.map { case (of, i) => BoundReference(i, of, nullable = true) }
    // As the operator requires it (StatefulExec).
    HashPartitioning(if (columns.isEmpty) Seq(Literal(0)) else columns, partitions)
      .partitionIdExpression
  }

  def apply(group: Array[Byte]): Int = {
    row.pointTo(group, group.length)
    number.eval(row).asInstanceOf[Int]
  }
}

private[streaming] object GroupPartition {

  /** Each group of another partition's file is found with a chance of at least a half. */
  private val Checked = 16

  /** Fails if the first groups of a partition's state are groups of another partition. */
  def check(
      state: StateOfPartition,
      store: StreamStore,
      keys: Seq[DataType],
      partitions: Int
  ): Unit = if (partitions > 1) {
    lazy val partitionOf = new GroupPartition(keys, partitions)
    store.firstGroups(Checked).map(partitionOf(_)).find(_ != state.partition).foreach { other =>
      throw new MuntinRuntimeException(
        "MUNTIN_STATE_OF_OTHER_PARTITION",
        "operator" -> state.operator.toString,
        "partition" -> state.partition.toString,
        "other" -> other.toString,
        "folder" -> state.folder
      )
    }
  }
}

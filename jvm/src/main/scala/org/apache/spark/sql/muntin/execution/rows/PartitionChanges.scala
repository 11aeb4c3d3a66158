package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.EqualBytes

/** Finds where one partition of the sorted rows ends and the next begins. */
final class PartitionChanges(partitionSpec: Seq[Expression], childOutput: Seq[Attribute]) {
  private val keyOf = UnsafeProjection.create(partitionSpec, childOutput)
  private val binary = partitionSpec.forall(e => EqualBytes.areIn(e.dataType))
  private val order = InterpretedOrdering.forSchema(partitionSpec.map(_.dataType))
  // The fields of the keys that are one word of the row each: for most rows a comparison of words
  // shows that the partition continues.
  private val words: Array[Int] = {
    val fields = partitionSpec.collect {
      case a: Attribute if UnsafeRow.isFixedLength(a.dataType) =>
        childOutput.indexWhere(_.exprId == a.exprId)
    }
    if (fields.size == partitionSpec.size && !fields.contains(-1)) fields.toArray else null
  }
  private val wordsOfKey = if (words == null) null else new Array[Long](words.length)
  private var current: UnsafeRow = _

  /** Returns the keys of the row that `isNew` was last called with. */
  def key: UnsafeRow = current

  /** Returns true if the row is the first of a partition. Rows must arrive in their order. */
  def isNew(row: UnsafeRow): Boolean =
    if (current != null && words != null && isAlike(row)) false else isOther(row)

  // Rows with other words can still have equal keys.
  private def isAlike(row: UnsafeRow): Boolean = {
    var i = 0
    while (i < words.length && isAlike(row, i)) i += 1
    i == words.length
  }

  // The word of a null is zero.
  private def isAlike(row: UnsafeRow, key: Int): Boolean = {
    val word = row.getLong(words(key))
    word == wordsOfKey(key) && (word != 0L || row.isNullAt(words(key)) == current.isNullAt(key))
  }

  private def isOther(row: UnsafeRow): Boolean = {
    val next = keyOf(row)
    val same = current != null &&
      (if (binary) next.equals(current) else order.compare(next, current) == 0)
    if (!same) {
      current = next.copy()
      if (words != null) words.indices.foreach(i => wordsOfKey(i) = current.getLong(i))
    }
    !same
  }
}

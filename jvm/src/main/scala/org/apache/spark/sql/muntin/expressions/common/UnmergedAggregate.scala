package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

/** An aggregate that is used only in OVER clauses, which do not merge buffers. */
trait UnmergedAggregate[B] extends TypedImperativeAggregate[B] {
  final override def merge(buffer: B, other: B): B = throw notMerged

  final override def serialize(buffer: B): Array[Byte] = throw notMerged

  final override def deserialize(bytes: Array[Byte]): B = throw notMerged

  private def notMerged = new UnsupportedOperationException(s"$this is not merged")
}

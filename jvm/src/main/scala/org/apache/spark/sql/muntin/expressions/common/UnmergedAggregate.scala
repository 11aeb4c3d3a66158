package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

/** An aggregate that stands only in OVER clauses, where nothing is merged. */
trait UnmergedAggregate[B] extends TypedImperativeAggregate[B] {
  final override def merge(buffer: B, other: B): B = throw notMerged

  final override def serialize(buffer: B): Array[Byte] = throw notMerged

  final override def deserialize(bytes: Array[Byte]): B = throw notMerged

  private def notMerged = new UnsupportedOperationException(s"$this is not merged")
}

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.spark.EqualBytes

/** The keys of a stream's groups. The state identifies a group by the bytes of its keys. */
private[plans] object StreamKeys {

  /** Returns a key that has the same bytes for equal values. */
  def of(key: Expression): Expression =
    EqualBytes(NormalizeFloatingNumbers.normalize(key))

  /** Checks keys that are part of the output: fails unless equal values have the same bytes. */
  def check(function: String, keys: Seq[Expression]): Unit =
    keys.find(k => !EqualBytes.areIn(k.dataType)).foreach { key =>
      throw new Arguments(function).error(
        "MUNTIN_STREAM_KEY_WITHOUT_BINARY_EQUALITY",
        "key" -> toPrettySQL(key),
        "type" -> key.dataType.sql
      )
    }
}

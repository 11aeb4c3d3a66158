package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.spark.EqualBytes

/** The keys of a stream's groups. The state identifies a group by the bytes of its keys. */
private[plans] object StreamKeys {

  /** Returns a key that has the same bytes for equal values. */
  def of(key: Expression): Expression =
    EqualBytes(NormalizeFloatingNumbers.normalize(key))

  /** Checks keys that are part of the output: fails unless equal values have the same bytes. */
  def check(function: String, keys: Seq[Expression]): Unit =
    keys.find(k => !EqualBytes.areIn(k.dataType)).foreach { key =>
      val shown = toPrettySQL(key)
      throw InvalidArgument(
        function,
        "GROUP BY",
        s"$shown of type ${key.dataType.sql}, whose equal values differ in their bytes, by which " +
          "a stream knows its groups; group by what equal values have in common, such as " +
          s"lower($shown COLLATE UTF8_BINARY)"
      )
    }
}

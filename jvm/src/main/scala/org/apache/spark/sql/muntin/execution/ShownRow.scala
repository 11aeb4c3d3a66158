package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  Expression,
  ToPrettyString
}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf

/** A row as errors show it: what expressions come to in it, by name. */
private[execution] object ShownRow {
  def apply(expressions: Seq[Expression], row: InternalRow, childOutput: Seq[Attribute]): String = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    expressions
      .map { e =>
        val bound = BindReferences.bindReference(e, childOutput)
        s"${toPrettySQL(e)} = ${ToPrettyString(bound, zone).eval(row)}"
      }
      .mkString("(", ", ", ")")
  }
}

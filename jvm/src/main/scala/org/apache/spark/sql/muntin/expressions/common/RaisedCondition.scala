package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.DataType

/** An expression that fails with an error condition for each row that it is evaluated for. */
final case class RaisedCondition(
    condition: String,
    parameters: Map[String, String],
    dataType: DataType
) extends LeafExpression
    with CodegenFallback {
  override def nullable: Boolean = true

  override def foldable: Boolean = false

  override def prettyName: String = "raised_condition"

  override def eval(row: InternalRow): Any =
    throw new MuntinRuntimeException(condition, parameters.toSeq: _*)
}

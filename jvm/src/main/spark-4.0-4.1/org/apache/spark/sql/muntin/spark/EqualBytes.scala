package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}

/**
 * Bytes that are equal if values are equal: strings that are equal in a collation may differ. Spark
 * has its own version since 4.1.1.
 */
object EqualBytes {

  /** Returns true if values of the type are equal if and only if their bytes are. */
  def areIn(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  /** Returns a value with the same bytes for all equal values. */
  def apply(value: Expression): Expression = value.dataType match {
    case same if areIn(same) => value
    case _: StringType => CollationKey(value)
    case ArrayType(elementType, containsNull) =>
      val element = NamedLambdaVariable("element", elementType, containsNull)
      ArrayTransform(value, LambdaFunction(apply(element), Seq(element)))
    case StructType(fields) =>
      val keys = fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        Seq(Literal(field.name), apply(GetStructField(value, i, Some(field.name))))
      }
      val struct = CreateNamedStruct(keys)
      If(IsNull(value), Literal(null, struct.dataType), struct)
    case _ => value
  }
}

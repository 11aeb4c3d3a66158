package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Unevaluable}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Definition,
  Definitions,
  GroupWindow,
  SqlFunction
}
import org.apache.spark.sql.types.{DataType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Placeholder for the column that identifies the result that a row revises; ResolveRevision
 * replaces it.
 */
final case class Revision() extends LeafExpression with Unevaluable {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def dataType: DataType = Revision.Type

  override def nullable: Boolean = false

  override def prettyName: String = Revision.name

  // This is the name of the column.
  override def sql: String = Revision.name

  override def toString: String = s"${Revision.name}()"
}

object Revision extends SqlFunction {
  override def definition: Definition = Definitions.revision

  val Key = "key"
  val Batch = "batch"
  val Kind = "kind"

  /** In a key: distinguishes results that agree in all other fields. */
  val Number = "row"

  val New: UTF8String = UTF8String.fromString("new")
  val Changed: UTF8String = UTF8String.fromString("changed")
  val Final: UTF8String = UTF8String.fromString("final")
  val Withdrawn: UTF8String = UTF8String.fromString("withdrawn")

  val Type: StructType = new StructType()
    .add(Key, StringType, nullable = false)
    .add(Batch, LongType, nullable = false)
    .add(Kind, StringType, nullable = false)

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Nil => Revision()
  }
}

package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.types._

/**
 * The type of a partial: a struct. Its first field, always null, is named after the layout's
 * version, and its type contains the types of the aggregate's inputs. The other fields are the
 * components.
 */
final case class PartialType(inputs: Seq[DataType], components: StructType) {
  def dataType: StructType = {
    val fields = inputs.zipWithIndex.map { case (input, i) =>
      StructField(PartialType.inputName(i), input)
    }
    StructType(StructField(PartialType.Version, StructType(fields)) +: components.fields)
  }
}

/** The condition of the error for an expression that is not a partial. */
final case class NotAPartial(condition: String, parameters: Seq[(String, String)]) {
  def error(argument: Expression): AnalysisException =
    new Arguments(MergePartial.name)
      .error(condition, ("argument" -> argument.sql) +: parameters: _*)
}

object PartialType {
  final val Version = "v1"

  private val Versions = "v([0-9]+)".r

  def apply(inputs: Seq[DataType], components: Seq[PartialField]): PartialType =
    PartialType(inputs, StructType(components.map(c => StructField(c.name, c.dataType))))

  /** Returns the partial that a type describes, or the error if it does not describe one. */
  def of(dataType: DataType): Either[NotAPartial, PartialType] = dataType match {
    case StructType(Array(StructField(Version, StructType(inputs), _, _), components @ _*)) =>
      Right(PartialType(inputs.map(_.dataType).toSeq, StructType(components.toArray)))
    case StructType(fields) if fields.headOption.exists(f => Versions.matches(f.name)) =>
      Left(NotAPartial(
        "MUNTIN_PARTIAL_OF_NEWER_VERSION",
        Seq("layout" -> fields.head.name, "supported" -> Version)
      ))
    case other => Left(NotAPartial("MUNTIN_NOT_A_PARTIAL", Seq("type" -> shortened(other.sql))))
  }

  private def shortened(sql: String): String = if (sql.length <= 80) sql else sql.take(77) + "..."

  private def inputName(i: Int): String = i match {
    case 0 => "x"
    case 1 => "y"
    case 2 => "z"
    case more => s"x${more + 1}"
  }
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

/**
 * Returns the stretches of a key as an array, or null if `times` does not have enough rows.
 *
 * @param points
 *   the places of the key's changed rows, an array of doubles
 * @param times
 *   the places of the key's rows, an array of doubles; null if the key does not have rows
 * @param isCut
 *   whether `times` may lack the first rows of the key
 */
private[refresh] final case class FindStretches(
    points: Expression,
    times: Expression,
    reaches: Seq[Reach],
    isCut: Boolean
) extends BinaryExpression with CodegenFallback {
  import FindStretches._

  override def left: Expression = points
  override def right: Expression = times
  override def nullable: Boolean = true
  override def dataType: DataType = ArrayType(Type, containsNull = false)

  override def eval(input: InternalRow): Any = {
    val sorted = placesOf(times.eval(input))
    java.util.Arrays.sort(sorted)
    val found = new StretchesOfKey(reaches, sorted, isCut).of(placesOf(points.eval(input)))
    found.map { stretches =>
      new GenericArrayData(stretches.map(s => InternalRow(s.lo, s.hi, s.readLo, s.readHi)))
    }.orNull
  }

  private def placesOf(value: Any): Array[Double] =
    if (value == null) Array.empty[Double] else value.asInstanceOf[ArrayData].toDoubleArray()

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): FindStretches = copy(points = newLeft, times = newRight)
}

private[refresh] object FindStretches {
  private val Type =
    StructType(Seq("lo", "hi", "read_lo", "read_hi").map(StructField(_, DoubleType, false)))
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

/**
 * Returns the stretches of a key as an array, or null if `places` do not have enough rows.
 *
 * @param points
 *   the places of the key's changed rows, an array of doubles
 * @param places
 *   the places of the key's rows for each of `conditions`, arrays of doubles; null if the key does
 *   not have such rows
 * @param isCut
 *   whether `places` may lack the first rows of the key
 */
private[refresh] final case class FindStretches(
    points: Expression,
    places: Seq[Expression],
    conditions: Seq[Expression],
    reaches: Seq[Reach],
    isCut: Boolean
) extends Expression
    with CodegenFallback {
  import FindStretches._

  override def children: Seq[Expression] = points +: places
  override def nullable: Boolean = true
  override def dataType: DataType = ArrayType(Type, containsNull = false)

  override def eval(input: InternalRow): Any = {
    val sorted = conditions.zip(places).map { case (condition, of) =>
      val found = placesOf(of.eval(input))
      java.util.Arrays.sort(found)
      condition -> found
    }
    val found = new StretchesOfKey(reaches, sorted.toMap, isCut).of(placesOf(points.eval(input)))
    found.map { stretches =>
      new GenericArrayData(stretches.map(s => InternalRow(s.lo, s.hi, s.readLo, s.readHi)))
    }.orNull
  }

  private def placesOf(value: Any): Array[Double] =
    if (value == null) Array.empty[Double] else value.asInstanceOf[ArrayData].toDoubleArray()

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): FindStretches = copy(points = newChildren.head, places = newChildren.tail)
}

private[refresh] object FindStretches {
  private val Type =
    StructType(Seq("lo", "hi", "read_lo", "read_hi").map(StructField(_, DoubleType, false)))
}

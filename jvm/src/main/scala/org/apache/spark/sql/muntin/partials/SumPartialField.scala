package org.apache.spark.sql.muntin.partials

import io.muntin.kernel.sums.ChunkSum
import org.apache.spark.sql.types._

/** An exact sum. `add` adds a row's value: nothing if an input is null. */
final case class SumPartialField(name: String, kind: ChunkSum.Kind, add: SumPartialField.Term)
    extends PartialField {
  override def dataType: DataType = BinaryType

  override def isSmall: Boolean = true

  override def start(): SumState = new SumState(ChunkSum(kind), add)
}

/** A field that holds an exact sum. */
trait SumField extends FieldState {

  /** Returns the sum, to be read until the next call. */
  def sum: ChunkSum

  final override def value: Any = sum.toBytes
}

final class SumState(override val sum: ChunkSum, add: SumPartialField.Term)
    extends MergeableFieldState
    with SumField {
  override def update(inputs: Inputs): Unit = add(inputs, sum)

  override def merge(stored: Any): Unit = sum.merge(stored.asInstanceOf[Array[Byte]])
}

object SumPartialField {
  import ChunkSum.{FixedPoint, FloatingPoint}

  type Term = (Inputs, ChunkSum) => Unit

  /** Returns the sum of an input of this type. */
  def of(name: String, dataType: DataType, input: Inputs => Any): SumPartialField =
    dataType match {
      case DoubleType | FloatType =>
        new SumPartialField(name, FloatingPoint(1), value(input, double))
      case d: DecimalType => new SumPartialField(name, FixedPoint(d.scale), value(input, decimal))
      case _ => new SumPartialField(name, FixedPoint(0), value(input, integer))
    }

  /** Returns the sum of the second, third or fourth power of an input of doubles. */
  def power(power: Int): SumPartialField =
    new SumPartialField(
      s"sum$power",
      FloatingPoint(power),
      (inputs, sum) => if (inputs.hasX) sum.addPower(inputs.x.asInstanceOf[Double], power)
    )

  /** Returns the sum of the products of two inputs of doubles (each x or y), over the pairs. */
  def product(name: String, a: Inputs => Any, b: Inputs => Any): SumPartialField =
    new SumPartialField(
      name,
      FloatingPoint(2),
      (inputs, sum) =>
        if (inputs.hasPair) {
          sum.addProduct(a(inputs).asInstanceOf[Double], b(inputs).asInstanceOf[Double])
        }
    )

  private def value(input: Inputs => Any, add: (Any, ChunkSum) => Unit): Term =
    (inputs, sum) => {
      val value = input(inputs)
      if (value != null) add(value, sum)
    }

  private val double: (Any, ChunkSum) => Unit = (value, sum) =>
    sum.add(value.asInstanceOf[Number].doubleValue)

  private val integer: (Any, ChunkSum) => Unit = (value, sum) =>
    sum.add(value.asInstanceOf[Number].longValue)

  private val decimal: (Any, ChunkSum) => Unit = (value, sum) => {
    val d = value.asInstanceOf[Decimal]
    if (d.precision <= Decimal.MAX_LONG_DIGITS) sum.add(d.toUnscaledLong)
    else sum.add(d.toJavaBigDecimal.unscaledValue)
  }
}

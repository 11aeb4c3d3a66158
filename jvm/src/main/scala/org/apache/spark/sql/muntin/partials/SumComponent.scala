package org.apache.spark.sql.muntin.partials

import io.muntin.kernel.sums.ChunkSum
import org.apache.spark.sql.types._

/** An exact sum of the terms of rows. */
final case class SumComponent(name: String, kind: ChunkSum.Kind, term: Term) extends Component {
  override def dataType: DataType = BinaryType

  override def isSmall: Boolean = true

  override def start(): SumState = new SumState(ChunkSum(kind), term)
}

/** A field that holds an exact sum. */
trait SumField extends FieldState {

  /** The sum, to be read until the next call. */
  def sum: ChunkSum

  final override def value: Any = sum.toBytes
}

final class SumState(override val sum: ChunkSum, term: Term)
    extends ComponentState
    with SumField {
  override def update(inputs: Inputs): Unit = term.add(inputs, sum)

  override def merge(stored: Any): Unit = sum.merge(stored.asInstanceOf[Array[Byte]])
}

/** The term that a row adds to a sum; none where an input is null. */
abstract class Term {
  def add(inputs: Inputs, sum: ChunkSum): Unit
}

object SumComponent {
  import ChunkSum.{FixedPoint, FloatingPoint}

  /** The sum of an input of this type. */
  def apply(name: String, dataType: DataType, input: Inputs => Any): SumComponent =
    dataType match {
      case DoubleType => new SumComponent(name, FloatingPoint(1), Value(input, toDouble))
      case FloatType => new SumComponent(name, FloatingPoint(1), Value(input, toDouble))
      case d: DecimalType => new SumComponent(name, FixedPoint(d.scale), Value(input, decimal))
      case _ => new SumComponent(name, FixedPoint(0), Value(input, integer))
    }

  /** The sum of the second, third or fourth power of an input of doubles. */
  def power(power: Int): SumComponent =
    new SumComponent(s"sum$power", FloatingPoint(power), Power(power))

  /** The sum of the products of two inputs of doubles (each x or y), over the pairs. */
  def product(name: String, a: Inputs => Any, b: Inputs => Any): SumComponent =
    new SumComponent(name, FloatingPoint(2), Product(a, b))

  private final case class Value(input: Inputs => Any, add: (Any, ChunkSum) => Unit)
      extends Term {
    override def add(inputs: Inputs, sum: ChunkSum): Unit = {
      val value = input(inputs)
      if (value != null) add(value, sum)
    }
  }

  private final case class Power(power: Int) extends Term {
    override def add(inputs: Inputs, sum: ChunkSum): Unit =
      if (inputs.hasX) sum.addPower(inputs.x.asInstanceOf[Double], power)
  }

  private final case class Product(a: Inputs => Any, b: Inputs => Any) extends Term {
    override def add(inputs: Inputs, sum: ChunkSum): Unit = if (inputs.hasPair) {
      sum.addProduct(a(inputs).asInstanceOf[Double], b(inputs).asInstanceOf[Double])
    }
  }

  private val toDouble: (Any, ChunkSum) => Unit = (value, sum) =>
    sum.add(value.asInstanceOf[Number].doubleValue)

  private val integer: (Any, ChunkSum) => Unit = (value, sum) =>
    sum.add(value.asInstanceOf[Number].longValue)

  private val decimal: (Any, ChunkSum) => Unit = (value, sum) => {
    val d = value.asInstanceOf[Decimal]
    if (d.precision <= Decimal.MAX_LONG_DIGITS) sum.add(d.toUnscaledLong)
    else sum.add(d.toJavaBigDecimal.unscaledValue)
  }
}

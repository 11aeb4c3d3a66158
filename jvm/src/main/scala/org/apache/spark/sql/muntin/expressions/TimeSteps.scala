package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Generator,
  GenericInternalRow,
  Literal
}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types._

/**
 * time_steps: a row for each step of a grid, from the step that contains `first` to the step that
 * contains `last`. A step is `every` units long, microseconds of a timestamp or days of a date, and
 * steps are counted from zero.
 */
final case class TimeSteps(first: Expression, last: Expression, every: Long)
    extends Generator
    with BinaryLike[Expression]
    with CodegenFallback {
  override def left: Expression = first

  override def right: Expression = last

  override def prettyName: String = TimeSteps.name

  private val time = first.dataType

  // The end of the last step may exceed the range of a small integer type.
  private val end = if (time.isInstanceOf[IntegralType]) LongType else time

  override def elementSchema: StructType = StructType(
    Seq(StructField("start", time, nullable = false), StructField("end", end, nullable = false))
  )

  override def eval(row: InternalRow): Iterator[InternalRow] =
    (first.eval(row), last.eval(row)) match {
      case (from: Number, until: Number) => steps(from.longValue, until.longValue)
      case _ => Iterator.empty
    }

  private def steps(from: Long, until: Long): Iterator[InternalRow] = {
    val begin = from - Math.floorMod(from, every)
    if (begin > from || !fits(begin)) throw beyond(from)
    val many = if (until < begin) 0L else Math.subtractExact(until, begin) / every + 1L
    new Iterator[InternalRow] {
      private var i = 0L

      override def hasNext: Boolean = i < many

      override def next(): InternalRow = {
        val start = begin + i * every
        i += 1L
        new GenericInternalRow(
          Array[Any](inType(time, start), inType(end, Math.addExact(start, every)))
        )
      }
    }
  }

  // Only the first step may begin outside the type: all others begin between two times.
  private def fits(begin: Long): Boolean = time match {
    case ByteType => begin >= Byte.MinValue
    case ShortType => begin >= Short.MinValue
    case IntegerType | DateType => begin >= Int.MinValue
    case _ => true
  }

  private def beyond(from: Long): RuntimeException = new MuntinRuntimeException(
    "MUNTIN_TIME_STEP_OUT_OF_RANGE",
    "function" -> TimeSteps.name,
    "value" -> from.toString,
    "every" -> every.toString,
    "type" -> time.sql
  )

  private def inType(kind: DataType, number: Long): Any = kind match {
    case ByteType => number.toByte
    case ShortType => number.toShort
    case IntegerType | DateType => Math.toIntExact(number)
    case _ => number
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): TimeSteps = copy(first = newLeft, last = newRight)
}

object TimeSteps extends SqlFunction {
  override def definition: Definition = Definitions.timeSteps

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(from, until, every) =>
      val read = new Arguments(name)
      val (first, last) = (typed(from, until), typed(until, from))
      if (first.dataType != last.dataType) {
        throw read.noCommonType(first, last)
      }
      TimeSteps(first, last, units(read, "first", first, every))
  }

  /** Gives a NULL without a type the type of the other time. */
  private def typed(time: Expression, other: Expression): Expression =
    if (time.dataType == NullType) Literal(null, other.dataType) else time

  /** Returns the argument `every` in units of the type of `time`. */
  private[muntin] def units(
      read: Arguments,
      parameter: String,
      time: Expression,
      every: Expression
  ): Long = {
    if (!TimeInMicros.isTime(time.dataType)) {
      throw read.invalidType(parameter, time, "a TIMESTAMP, TIMESTAMP_NTZ, DATE or whole number")
    }
    new FieldNumbers(read, time, parameter).positive("every", every) match {
      case Some(units) if units.isValidLong => units.toLong
      case _ =>
        throw read.invalidValue("every", every, "the length of a step, such as '5 minutes'")
    }
  }
}

package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.types._

/**
 * Times as numbers, for RANGE frames of DataFrame code, whose bounds can only be numbers. A day is 24
 * hours of it, whatever the clocks do.
 */
object RowTime extends SqlFunction {
  override val name: String = "row_time"

  override val parameters: Seq[InputParameter] = Seq(required("time"))

  override val usage: String =
    """
      _FUNC_(time) - Returns a TIMESTAMP, TIMESTAMP_NTZ or DATE as a BIGINT: microseconds since 1970.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT row_time(TIMESTAMP_NTZ'1970-01-01 00:00:01')",
    "1000000"
  )

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(time) =>
      time.dataType match {
        case t @ (TimestampType | TimestampNTZType) =>
          PreciseTimestampConversion(time, t, LongType)
        case DateType => Multiply(Cast(UnixDate(time), LongType), Literal(MICROS_PER_DAY))
        case other =>
          throw new Arguments(name).invalid(
            "time",
            s"${time.sql} has the type ${other.sql}; expected is a TIMESTAMP, TIMESTAMP_NTZ or DATE"
          )
      }
  }
}

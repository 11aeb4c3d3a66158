package org.apache.spark.sql.muntin.expressions.internal

import java.math.{BigDecimal, BigInteger}

import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  CodegenFallback,
  ExprCode,
  FalseLiteral
}
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.muntin.expressions.FieldKind
import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, LongType}

/**
 * The number of the pane that contains a field's value. Windows begin at shift + k * advance. Their
 * starts, ends and points are at the offsets `cuts` after such a beginning; the first cut is 0.
 * `shown` is the field as the query writes it.
 *
 * For calendar windows `child` is the number of a day or month.
 *
 *     size 30, advance 20     cuts 0, 10: windows [0, 30), [20, 50) … start at 0, 20, 40 and end at
 *                             30, 50: panes [0, 10), [10, 20), [20, 30) …
 */
final case class FieldPane(
    child: Expression,
    shown: String,
    advance: Long,
    shift: Long,
    cuts: Seq[Long],
    kind: FieldKind
) extends UnaryExpression
    with Pane {
  override def function: SqlFunction = kind.function

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def prettyName: String = "field_pane"

  // The window above shows the durations.
  override def toString: String = s"$prettyName($shown)"

  @transient private lazy val bounds = cuts.toArray

  override def eval(input: InternalRow): Any = {
    val number = child.eval(input) match {
      case d: Decimal => d.toUnscaledLong
      case n: Number => n.longValue
      case null => throw InvalidWindowRowException.missing(kind.parameter, shown)
      case other => throw new IllegalStateException(s"no field's value: $other")
    }
    FieldPane.number(number, advance, shift, bounds)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val array = ctx.addReferenceObj("cuts", bounds, "long[]")
    val parameter = ctx.addReferenceObj("parameter", kind.parameter)
    val name = ctx.addReferenceObj("field", shown)
    val value = child.genCode(ctx)
    val number = child.dataType match {
      case _: DecimalType => s"${value.value}.toUnscaledLong()"
      case _ => s"(long) ${value.value}"
    }
    val home = FieldPane.home(FieldPane)
    ev.copy(
      code = code"""
        ${value.code}
        if (${value.isNull}) throw ${FieldPane.home(
          InvalidWindowRowException
        )}.missing($parameter, $name);
        long ${ev.value} = $home.number($number, ${advance}L, ${shift}L, $array);
      """,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildInternal(newChild: Expression): FieldPane =
    copy(child = newChild)
}

object FieldPane {

  /** Returns the class in which generated code finds the methods of an object. */
  private[expressions] def home(of: AnyRef): String = of.getClass.getName.stripSuffix("$")

  /** With more cuts, panes would be too small to save work. */
  val MostCuts: Int = 64

  /**
   * Returns the number of a value's pane. It wraps around at the limits of long, where panes still
   * have distinct numbers.
   */
  def number(value: Long, advance: Long, shift: Long, cuts: Array[Long]): Long = {
    val k = Math.floorDiv(value, advance)
    val r = value - k * advance - shift
    val (start, within) = if (r >= 0L) (k, r) else (k - 1L, r + advance)
    var cut = cuts.length - 1
    while (cuts(cut) > within) cut -= 1
    start * cuts.length + cut
  }

  /** Returns the last value in a value's pane. */
  def last(value: Long, advance: Long, shift: Long, cuts: Array[Long]): Long = {
    val within = Math.floorMod(value - shift, advance)
    var cut = 0
    while (cut < cuts.length && cuts(cut) <= within) cut += 1
    value - within + (if (cut < cuts.length) cuts(cut) else advance) - 1L
  }

  /**
   * Returns the offsets of window starts, ends and points after the start of a window; None if
   * there are too many.
   */
  def cuts(
      size: BigInteger,
      advance: BigInteger,
      every: Option[BigInteger]
  ): Option[Seq[BigInteger]] = {
    val points = every.iterator.flatMap { e =>
      Iterator.iterate(e)(_.add(e)).takeWhile(_.compareTo(size) < 0)
    }
    // Points repeat at the latest when a point is at a start.
    val places = points.map(_.mod(advance)).takeWhile(_.signum != 0).take(MostCuts + 1)
    val all = (Seq(BigInteger.ZERO, size.mod(advance)) ++ places).distinct.sorted
    if (all.size <= MostCuts) Some(all) else None
  }
}

/**
 * Returns the last value in a value's pane, for a timestamp that is far from the limits of long.
 */
final case class FieldPaneLast(child: Expression, advance: Long, shift: Long, cuts: Seq[Long])
    extends UnaryExpression {
  override def dataType: DataType = LongType

  override def prettyName: String = "field_pane_last"

  override def toString: String = s"$prettyName($child)"

  @transient private lazy val bounds = cuts.toArray

  override protected def nullSafeEval(value: Any): Any =
    FieldPane.last(value.asInstanceOf[Long], advance, shift, bounds)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val array = ctx.addReferenceObj("cuts", bounds, "long[]")
    val home = FieldPane.home(FieldPane)
    defineCodeGen(ctx, ev, number => s"$home.last($number, ${advance}L, ${shift}L, $array)")
  }

  override protected def withNewChildInternal(newChild: Expression): FieldPaneLast =
    copy(child = newChild)
}

/** The pane of a decimal of more than 18 digits: the value at which the pane begins. */
final case class WideFieldPane(
    child: Expression,
    shown: String,
    advance: BigInteger,
    shift: BigInteger,
    cuts: Seq[BigInteger],
    kind: FieldKind
) extends UnaryExpression
    with CodegenFallback
    with Pane {
  override def function: SqlFunction = kind.function

  // Null for a pane that begins outside the type: the windows reject its rows.
  override def dataType: DataType = child.dataType

  override def prettyName: String = "field_pane"

  // The window above shows the durations.
  override def toString: String = s"$prettyName($shown)"

  override def eval(input: InternalRow): Any = {
    val value = child.eval(input)
    if (value == null) throw InvalidWindowRowException.missing(kind.parameter, shown)
    val decimal = value.asInstanceOf[Decimal].toJavaBigDecimal
    val within = decimal.unscaledValue.subtract(shift).mod(advance)
    val cut = cuts(cuts.lastIndexWhere(_.compareTo(within) <= 0))
    val start = decimal.unscaledValue.subtract(within.subtract(cut))
    Decimal(new BigDecimal(start, decimal.scale)).toPrecision(
      child.dataType.asInstanceOf[DecimalType].precision,
      decimal.scale,
      nullOnOverflow = true
    )
  }

  override protected def withNewChildInternal(newChild: Expression): WideFieldPane =
    copy(child = newChild)
}

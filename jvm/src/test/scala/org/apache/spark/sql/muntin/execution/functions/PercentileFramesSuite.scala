package org.apache.spark.sql.muntin.execution.functions

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.muntin.Repeats
import org.apache.spark.sql.muntin.execution.over.{OverKernel, OverPlan}
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.Outcome

/**
 * Percentiles of every kind in frames of every kind, below the queries that Spark accepts: the
 * results must equal the results of the Spark function over the rows of each frame.
 */
class PercentileFramesSuite extends MuntinSuite {
  import PercentileFramesSuite._

  // There are thousands of kernels, and each would compile code.
  override protected def withFixture(test: NoArgTest): Outcome = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    SQLConf.withExistingConf(conf)(super.withFixture(test))
  }

  for (drawn <- drawns)
    test(s"${drawn.name}: equals Spark's functions over the rows of each frame") {
      val random = new Random(drawn.name.hashCode)
      val value = AttributeReference("v", drawn.dataType)()
      val kept = GreaterThan(order, Literal(30))
      for {
        (function, i) <- functions(value, drawn.hasNaN).zipWithIndex
        ((lower, upper), j) <- frames.zipWithIndex
        (filter, k) <- Seq(None, Some(kept)).zipWithIndex
        if Repeats.selects(i + j + k, 3)
      } {
        val rows = Seq.tabulate(Rows) { i =>
          InternalRow(i, if (random.nextInt(6) == 0) null else drawn.draw(random))
        }
        val found = results(function, filter, lower, upper, rows, value)
        val wanted = rows.indices.map(i =>
          expected(function, filter, rows.slice(first(lower, i), last(upper, i) + 1), value)
        )
        rows.indices.foreach { i =>
          if (found(i) != wanted(i)) {
            fail(s"row $i of $function ${filter.mkString} in $lower .. $upper of $rows is " +
              s"${found(i)}, expected ${wanted(i)}")
          }
        }
      }
    }

  test("of the two zeros the negative zero is first") {
    val value = AttributeReference("v", DoubleType)()
    val rows = Seq(0.0, -0.0, 0.0, -0.0, 1.0).zipWithIndex.map { case (v, i) => InternalRow(i, v) }
    def zeros(function: AggregateFunction) =
      results(function, None, None, None, rows, value).map(_.toString).distinct
    val percentages = Literal(new GenericArrayData(Array(0.0, 0.25, 0.5, 0.75, 1.0)), doubles)
    assert(zeros(new Percentile(value, percentages)) === Seq("List(-0.0, -0.0, 0.0, 0.0, 1.0)"))
    assert(zeros(new Percentile(value, percentages, true)) ===
      Seq("List(1.0, 0.0, 0.0, -0.0, -0.0)"))
    // Between the last negative and the first positive zero there is no interpolation.
    assert(zeros(new Percentile(value, Literal(0.375))) === Seq("-0.0"))
  }

  test("percentile_approx is exact where Spark's summary has been compressed") {
    val value = AttributeReference("v", LongType)()
    val rows = new Random(3).shuffle((0 until 3000).toVector).zipWithIndex.map { case (v, i) =>
      InternalRow(i, v.toLong)
    }
    val percentages = Seq(0.0, 0.004, 0.3, 0.5, 0.77, 0.996, 1.0)
    val wanted = Literal(new GenericArrayData(percentages.toArray), doubles)
    val function = new ApproximatePercentile(value, wanted, Literal(200))
    val exact = percentages.map {
      case p if p <= 0.005 => 0L
      case p if p >= 0.995 => 2999L
      case p => math.ceil(p * 3000).toLong - 1
    }
    assert(results(function, None, None, None, rows, value).distinct === Seq(exact))
    assert(expected(function, None, rows, value) !== exact)
  }

  test("in percentile_approx NaN is the greatest value, at any place in the input") {
    val value = AttributeReference("v", DoubleType)()
    val several = Literal(new GenericArrayData(Array(0.0, 0.3, 0.5, 0.75, 1.0)), doubles)
    val wanted = Seq("1.0", "2.0", "2.0", "3.0", "NaN")
    Seq(1.0, 2.0, 3.0, Double.NaN).permutations.foreach { values =>
      val rows = values.zipWithIndex.map { case (v, i) => InternalRow(i, v) }
      val function = new ApproximatePercentile(value, several)
      assert(results(function, None, None, Some(0), rows, value).last === wanted)
    }
  }

  test("Spark runs frequencies other than 1, and percentages that are not numbers") {
    val value = AttributeReference("v", DoubleType)()
    def isRun(function: Expression) = RankStatisticPlans.plans.isDefinedAt(Call(function, None))
    assert(isRun(new Percentile(value, Literal(0.5), Literal(1))))
    assert(isRun(new Percentile(value, Literal(0.5), Literal(1L))))
    assert(!isRun(new Percentile(value, Literal(0.5), Literal(2L))))
    assert(!isRun(new Percentile(value, Literal(0.5), Cast(value, LongType))))
    assert(!isRun(new Percentile(value, Literal(null, DoubleType))))
    assert(!isRun(new ApproximatePercentile(value, Literal(Double.NaN))))
    assert(!isRun(new Percentile(Literal(null, NullType), Literal(0.5))))
    assert(!isRun(Max(value)))
  }
}

object PercentileFramesSuite {
  private val Rows = 45

  final case class Drawn(dataType: DataType, draw: Random => Any, hasNaN: Boolean = false) {
    def name: String = dataType.sql + (if (hasNaN) " with NaN" else "")
  }

  private val doubles = ArrayType(DoubleType, containsNull = false)

  private val order = AttributeReference("i", IntegerType, nullable = false)()

  private def decimal(unscaled: BigInteger, scale: Int, precision: Int) =
    Decimal(new JBigDecimal(unscaled, scale), precision, scale)

  // Numbers that double cannot distinguish, and some equal numbers.
  private def close(random: Random): Long = (1L << 60) + random.nextInt(40)

  private val special =
    Seq(Double.PositiveInfinity, Double.NegativeInfinity, 1e300, -1e300, 5e-324)

  private def double(random: Random): Double =
    if (random.nextInt(5) == 0) special(random.nextInt(5)) else random.nextGaussian()

  val drawns: Seq[Drawn] = Seq(
    Drawn(ByteType, r => (r.nextInt(9) - 4).toByte),
    Drawn(ShortType, r => (r.nextInt(900) - 450).toShort),
    Drawn(IntegerType, r => r.nextInt()),
    Drawn(LongType, r => if (r.nextBoolean()) close(r) else r.nextLong()),
    Drawn(FloatType, r => r.nextInt(99) / 7f),
    Drawn(FloatType, r => if (r.nextInt(9) == 0) Float.NaN else r.nextInt(9) / 7f, hasNaN = true),
    Drawn(DoubleType, double),
    Drawn(DoubleType, r => if (r.nextInt(9) == 0) Double.NaN else double(r), hasNaN = true),
    Drawn(DecimalType(5, 2), r => decimal(BigInteger.valueOf(r.nextInt(900) - 450L), 2, 5)),
    Drawn(DecimalType(18, 18), r => decimal(BigInteger.valueOf(r.nextLong() / 10), 18, 18)),
    Drawn(
      DecimalType(38, 20),
      r => decimal(BigInteger.valueOf(close(r)).multiply(BigInteger.valueOf(1L << 60)), 20, 38)
    ),
    Drawn(DecimalType(38, 10), r => decimal(BigInteger.TEN.pow(38).subtract(big(r)), 10, 38)),
    Drawn(YearMonthIntervalType(), r => r.nextInt(90) - 45),
    Drawn(DayTimeIntervalType(), r => if (r.nextBoolean()) close(r) else r.nextLong()),
    Drawn(DateType, r => r.nextInt(20_000)),
    Drawn(TimestampType, r => close(r)),
    Drawn(TimestampNTZType, r => r.nextLong() / 2)
  ) ++ TimesOfDay.types.map(Drawn(_, r => r.nextLong(86_400_000_000_000L)))

  private def big(random: Random): BigInteger = BigInteger.valueOf(1L + random.nextInt(9))

  /** Ends of ROWS frames, None for an unbounded end: sliding, growing, shrinking, whole, ahead. */
  private val frames: Seq[(Option[Int], Option[Int])] = Seq(
    (Some(-7), Some(0)),
    (Some(-3), Some(4)),
    (None, Some(0)),
    (Some(0), None),
    (None, None),
    (Some(2), Some(9))
  )

  private def functions(value: Expression, hasNaN: Boolean): Seq[AggregateFunction] = {
    val all = Seq(0.0, 0.001, 0.1, 0.25, 1.0 / 3, 0.5, 0.9, 0.999, 1.0, 0.5)
    val several = Literal(new GenericArrayData(all.toArray), doubles)
    val none = Literal(new GenericArrayData(Array.empty[Double]), doubles)
    val singles = Seq(0.0, 0.37, 0.5, 1.0).map(Literal(_)) :+ Literal(Double.NaN)
    val approximate = Seq(several, none, Literal(0.37), Literal(0.5)).flatMap { p =>
      Seq(10000, 200, 1).map(accuracy => new ApproximatePercentile(value, p, Literal(accuracy)))
    }
    // Spark's representation of dates and timestamps.
    if (value.dataType.isInstanceOf[DatetimeType] && !TimesOfDay.types.contains(value.dataType)) {
      approximate
    } else {
      val exact = (Seq(several, none) ++ singles).flatMap { p =>
        for {
          reverse <- Seq(false, true)
          f <- Seq(
            new Percentile(value, p, reverse),
            PercentileCont(value, p, reverse),
            PercentileDisc(value, p, reverse, legacyCalculation = false),
            PercentileDisc(value, p, reverse, legacyCalculation = true)
          )
        } yield f
      }
      // The place of NaN in Spark's percentile_approx depends on earlier rows.
      (exact :+ Median(value)) ++ approximate.filterNot(_ => hasNaN)
    }
  }

  private def first(lower: Option[Int], row: Int): Int = lower.fold(0)(_ + row)

  private def last(upper: Option[Int], row: Int): Int = upper.fold(Int.MaxValue - 1)(_ + row)

  private def bound(end: Option[Int], unbounded: SpecialFrameBoundary): Expression = end match {
    case None => unbounded
    case Some(0) => CurrentRow
    case Some(shift) => Literal(shift)
  }

  private def results(
      function: AggregateFunction,
      filter: Option[Expression],
      lower: Option[Int],
      upper: Option[Int],
      rows: Seq[InternalRow],
      value: Attribute
  ): Seq[Any] = {
    val output = Seq(order, value)
    val ascending = Seq(SortOrder(order, Ascending))
    val frame = SpecifiedWindowFrame(
      RowFrame,
      bound(lower, UnboundedPreceding),
      bound(upper, UnboundedFollowing)
    )
    val aggregate =
      AggregateExpression(function, Complete, isDistinct = false, filter, NamedExpression.newExprId)
    val window =
      Alias(WindowExpression(aggregate, WindowSpecDefinition(Nil, ascending, frame)), "r")()
    val plan = OverPlan.of(Seq(window)).get
    val kernel = new OverKernel(plan, ascending, output, Memory.Unlimited)
    val target = new SpecificInternalRow(Seq(function.dataType))
    val projection = UnsafeProjection.create(output.map(_.dataType).toArray)
    val found = mutable.ArrayBuffer.empty[Any]
    def takeReady(ended: Boolean): Unit =
      while (kernel.hasPending && kernel.isReady(ended)) {
        kernel.advance(target)
        found += readable(target.get(0, function.dataType), function.dataType)
      }
    kernel.startPartition()
    rows.foreach { row =>
      kernel.arrive(projection(row))
      takeReady(ended = false)
    }
    takeReady(ended = true)
    found.toSeq
  }

  private def expected(
      function: AggregateFunction,
      filter: Option[Expression],
      rows: Seq[InternalRow],
      value: Attribute
  ): Any = {
    val output = Seq(order, value)
    val spark = function match {
      case r: RuntimeReplaceableAggregate => r.replacement
      case other => other
    }
    val bound = BindReferences.bindReference(spark, output)
    val keeps = filter.map(BindReferences.bindReference(_, output))
    val inside = rows.filter(row => keeps.forall(_.eval(row) == true))
    readable(
      evaluated(bound.asInstanceOf[TypedImperativeAggregate[Any]], inside),
      function.dataType
    )
  }

  private def evaluated(function: TypedImperativeAggregate[Any], rows: Seq[InternalRow]): Any =
    function.eval(rows.foldLeft(function.createAggregationBuffer())(function.update))

  /** The representation in a row: decimals of the type's own scale, arrays as lists. */
  private def readable(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (array: ArrayData, ArrayType(each, _)) =>
      List.tabulate(array.numElements())(i => readable(array.get(i, each), each))
    case (d: Decimal, t: DecimalType) =>
      val copy = d.clone()
      if (copy.changePrecision(t.precision, t.scale)) copy.toJavaBigDecimal else null
    // Boxed, NaN equals NaN.
    case (d: Double, _) => java.lang.Double.toString(d)
    case (f: Float, _) => java.lang.Float.toString(f)
    case (other, _) => other
  }
}

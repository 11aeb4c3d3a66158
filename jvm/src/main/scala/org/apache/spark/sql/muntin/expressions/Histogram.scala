package org.apache.spark.sql.muntin.expressions

import io.muntin.kernel.sums.BucketCounts
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, TypeUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.aggregates.StateAggregate
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  SqlFunction
}
import org.apache.spark.sql.types._

/**
 * The number of values in each bucket between bounds; see `Histogram.definition`. The bounds are
 * constant.
 */
final case class Histogram(
    value: Expression,
    bounds: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends StateAggregate[BucketCounts]
    with BinaryLike[Expression] {
  override def prettyName: String = Histogram.name

  override def left: Expression = value

  override def right: Expression = bounds

  private def boundType = bounds.dataType.asInstanceOf[ArrayType].elementType

  override def dataType: DataType = ArrayType(
    new StructType()
      .add("low", boundType)
      .add("high", boundType)
      .add("count", LongType, nullable = false),
    containsNull = false
  )

  override def nullable: Boolean = false

  /** Returns the number of a value's bucket. */
  def bucket: Expression = BucketOf(value, bounds)

  @transient private lazy val edges: Array[Any] =
    bounds.eval().asInstanceOf[ArrayData].toObjectArray(boundType).asInstanceOf[Array[Any]]

  @transient private lazy val number = BucketOf(value, bounds)

  def buckets: Int = edges.length + 1

  override def createAggregationBuffer(): BucketCounts = new BucketCounts(buckets)

  override def update(counts: BucketCounts, row: InternalRow): BucketCounts = {
    val found = number.eval(row)
    if (found != null) counts.change(found.asInstanceOf[Long].toInt, 1L)
    counts
  }

  override def eval(counts: BucketCounts): Any = new GenericArrayData(
    Array.tabulate[Any](buckets) { i =>
      val low = if (i == 0) null else edges(i - 1)
      val high = if (i == edges.length) null else edges(i)
      InternalRow(low, high, counts(i))
    }
  )

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): Histogram = copy(value = newLeft, bounds = newRight)
}

/** Returns how many of the ascending `bounds` are below a value; null for null. */
final case class BucketOf(value: Expression, bounds: Expression)
    extends BinaryExpression
    with CodegenFallback {
  override def left: Expression = value

  override def right: Expression = bounds

  override def dataType: DataType = LongType

  override def nullable: Boolean = value.nullable

  override def prettyName: String = "bucket_of"

  @transient private lazy val order = TypeUtils.getInterpretedOrdering(value.dataType)

  @transient private lazy val edges: Array[AnyRef] =
    bounds.eval().asInstanceOf[ArrayData].toObjectArray(value.dataType)

  override def eval(row: InternalRow): Any = {
    val found = value.eval(row)
    if (found == null) null
    else {
      var low = 0
      var high = edges.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (order.lt(edges(middle), found)) low = middle + 1 else high = middle
      }
      low.toLong
    }
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): BucketOf = copy(value = newLeft, bounds = newRight)
}

object Histogram extends SqlFunction {
  override def definition: Definition = Definitions.histogram

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, bounds) =>
      val read = new Arguments(name)
      def wrong = read.invalidValue(
        "bounds",
        bounds,
        s"an array literal of ascending ${x.dataType.sql} bounds, such as array(10, 20, 50)"
      )
      val element = bounds.dataType match {
        case ArrayType(element, _) if bounds.foldable => element
        case _ => throw wrong
      }
      val common = AnsiTypeCoercion.findWiderTypeForTwo(x.dataType, element)
        .filter(RowOrdering.isOrderable)
        .getOrElse(throw wrong)
      val listed = cast(bounds, ArrayType(common)).eval() match {
        case data: ArrayData => data.toObjectArray(common)
        case _ => throw wrong
      }
      if (listed.isEmpty || listed.contains(null)) throw wrong
      val order = TypeUtils.getInterpretedOrdering(common)
      if (listed.zip(listed.drop(1)).exists { case (a, b) => !order.lt(a, b) }) throw wrong
      val constant =
        Literal(new GenericArrayData(listed), ArrayType(common, containsNull = false))
      Histogram(if (x.dataType == common) x else cast(x, common), constant)
  }

  private def cast(argument: Expression, dataType: DataType): Expression =
    Cast(argument, dataType, Some(SQLConf.get.sessionLocalTimeZone))
}

package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.aggregates.{AggregateInputs, SparkAggregate}
import org.apache.spark.sql.muntin.expressions.Nth
import org.apache.spark.sql.types._

/**
 * The aggregate's own buffer, as Spark keeps it. Only the same function with the same parameters
 * can go on with the buffer, so the component's name has both.
 */
abstract class BufferComponent extends Component {
  final override lazy val name: String = BufferComponent.name(function)

  def function: AggregateFunction

  override def start(): BufferState
}

abstract class BufferState extends ComponentState {

  /** The aggregate's value over the buffer. */
  def result: Any
}

object BufferComponent {

  /** None for an aggregate whose buffer cannot be kept and merged. */
  def of(function: AggregateFunction): Option[BufferComponent] =
    SparkAggregate.bindEncoders(function) match {
      case known if !SparkAggregate.canRun(known) || !SparkAggregate.canMerge(known) => None
      case declarative: DeclarativeAggregate => Some(new DeclarativeBuffer(declarative))
      case typed: TypedImperativeAggregate[_] =>
        Some(new ObjectBuffer(typed.asInstanceOf[TypedImperativeAggregate[AnyRef]]))
      case imperative: ImperativeAggregate => Some(new RowBuffer(imperative))
      case _ => None
    }

  private def name(function: AggregateFunction): String = {
    val parameters = function match {
      case First(_, ignoreNulls) => if (ignoreNulls) Seq("ignore_nulls") else Nil
      case Last(_, ignoreNulls) => if (ignoreNulls) Seq("ignore_nulls") else Nil
      case h: HyperLogLogPlusPlus => Seq(h.relativeSD.toString)
      // The percentages are given when the function is finished.
      case a: ApproximatePercentile => Seq(text(a.accuracyExpression))
      case _: MaxBy | _: MinBy => Nil
      case nth: Nth => Seq(nth.n.toString)
      case other => other.children.drop(1).filter(_.foldable).map(text)
    }
    (ownName(function) +: parameters).mkString("_")
  }

  // Where a function has several names: the name that does not depend on the query.
  private def ownName(function: AggregateFunction): String = {
    val copy = function.clone()
    copy.unsetTagValue(FunctionRegistry.FUNC_ALIAS)
    copy.asInstanceOf[AggregateFunction].prettyName
  }

  private def text(parameter: Expression): String = String.valueOf(parameter.eval())
}

/** A struct of the fields that the aggregate's expressions read. */
private final class DeclarativeBuffer(val function: DeclarativeAggregate) extends BufferComponent {
  private val fields = function.aggBufferAttributes
  private val types = fields.map(_.dataType).toArray

  override val dataType: DataType = StructType(fields.map(a => StructField(a.name, a.dataType)))

  private lazy val inputs = AggregateInputs.of(function)
  private lazy val initial = MutableProjection.create(function.initialValues, Nil)
  private lazy val updating = {
    val (replaced, attributes) = AggregateInputs.replaced(function, inputs)
    val own = replaced.asInstanceOf[DeclarativeAggregate]
    MutableProjection.create(own.updateExpressions, own.aggBufferAttributes ++ attributes)
  }
  private lazy val merging = MutableProjection.create(
    function.mergeExpressions,
    fields ++ function.inputAggBufferAttributes
  )
  private lazy val evaluating = BindReferences.bindReference(function.evaluateExpression, fields)
  private lazy val joined = new JoinedRow
  private lazy val read = new GenericInternalRow(inputs.size)

  override def start(): BufferState = new BufferState {
    private val buffer = new SpecificInternalRow(types.toIndexedSeq)
    initial.target(buffer)(InternalRow.empty): Unit

    override def update(row: Inputs): Unit = {
      var i = 0
      inputs.foreach { input =>
        read.update(i, input.eval(row.row))
        i += 1
      }
      updating.target(buffer)(joined(buffer, read)): Unit
    }

    override def merge(stored: Any): Unit =
      merging.target(buffer)(joined(buffer, stored.asInstanceOf[InternalRow])): Unit

    override def value: Any = new GenericInternalRow(
      Array.tabulate[Any](types.length)(i => InternalRow.copyValue(buffer.get(i, types(i))))
    )

    override def result: Any = evaluating.eval(buffer)
  }
}

/** The bytes to which the aggregate serializes its object. */
private final class ObjectBuffer(val function: TypedImperativeAggregate[AnyRef])
    extends BufferComponent {
  override def dataType: DataType = BinaryType

  override def start(): BufferState = new BufferState {
    private var buffer = function.createAggregationBuffer()

    override def update(row: Inputs): Unit = buffer = function.update(buffer, row.row)

    override def merge(stored: Any): Unit =
      buffer = function.merge(buffer, function.deserialize(stored.asInstanceOf[Array[Byte]]))

    override def value: Any = function.serialize(buffer).clone()

    override def result: Any = function.eval(buffer)
  }
}

/** The bytes of Spark's row of the aggregate's fields. */
private final class RowBuffer(function0: ImperativeAggregate) extends BufferComponent {
  override val function: ImperativeAggregate =
    function0.withNewInputAggBufferOffset(0).withNewMutableAggBufferOffset(0)
  private val types = function.aggBufferAttributes.map(_.dataType)

  override def dataType: DataType = BinaryType

  private lazy val projection = UnsafeProjection.create(types.toArray)

  override def start(): BufferState = new BufferState {
    private val buffer = new SpecificInternalRow(types)
    function.initialize(buffer)

    override def update(row: Inputs): Unit = function.update(buffer, row.row)

    override def merge(stored: Any): Unit = {
      val bytes = stored.asInstanceOf[Array[Byte]]
      val other = new UnsafeRow(types.size)
      other.pointTo(bytes, bytes.length)
      function.merge(buffer, other)
    }

    override def value: Any = projection(buffer).getBytes.clone()

    override def result: Any = function.eval(buffer)
  }
}

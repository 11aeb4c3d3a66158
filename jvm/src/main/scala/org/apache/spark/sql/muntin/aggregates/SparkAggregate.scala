package org.apache.spark.sql.muntin.aggregates

import java.io.{DataInput, DataOutput}

import scala.util.Try

import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.Partials
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.execution.rows.ColumnRow
import org.apache.spark.sql.muntin.spark.UserAggregate
import org.apache.spark.sql.types.{BinaryType, DataType, ObjectType, StructField, StructType}

/**
 * Runs any Spark aggregate function in the same way as Spark's own operators, one partial at a
 * time. Frozen partials are in the form that Spark would send over the network: rows, or bytes.
 */
abstract class SparkAggregate[F <: AnyRef](aggregate: AggregateFunction) extends Partials[F] {
  private var columns: ColumnRow = _
  private var passing: Column = _

  /** Sets the columns whose positions are added. Rows whose mark is null are ignored. */
  final def readFrom(row: ColumnRow, marks: Option[Column]): Unit = {
    columns = row
    passing = marks.orNull
  }

  final override def update(position: Long): Unit =
    if (passing == null || !passing.isNull(position)) update(columns.at(position))

  /** Makes a new, empty partial the current one; the previous one can be resumed. */
  def start(): Unit

  /** Returns the current partial itself, to be resumed later. */
  def currentBuffer: AnyRef

  def take(partial: AnyRef): Unit

  /** Adds a row of the function's inputs to the current partial. */
  def update(row: InternalRow): Unit

  /** Returns a frozen partial as bytes. */
  def bytesOf(frozen: F): Array[Byte]
  def ofBytes(bytes: Array[Byte]): F

  /** Returns the Spark type in which a frozen partial is stored and from which it is restored. */
  def storedType: DataType = BinaryType
  def storedOf(frozen: F): Any = bytesOf(frozen)
  def ofStored(stored: Any): F = ofBytes(stored.asInstanceOf[Array[Byte]])

  final override def isSaved: Boolean = SparkAggregate.isSaved(aggregate)

  final override def write(frozen: F, out: DataOutput): Unit = {
    val bytes = bytesOf(frozen)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  final override def read(in: DataInput): F = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    ofBytes(bytes)
  }

  /** Returns the function's value over the rows of the partial; valid until the next call. */
  def value: Any

  /** Returns the function's value over rows of its inputs; valid until the next call. */
  final def evaluate(rows: Iterator[InternalRow]): Any = {
    zero()
    rows.foreach(row => update(row))
    value
  }
}

object SparkAggregate {

  /**
   * Returns the runner of `function`, whose inputs are the fields `inputs` of the rows that it
   * receives.
   */
  def apply(function: AggregateFunction, inputs: Seq[Attribute]): SparkAggregate[_ <: AnyRef] =
    function match {
      case declarative: DeclarativeAggregate => new DeclarativeRun(declarative, inputs)
      case imperative: ImperativeAggregate =>
        val bound = BindReferences.bindReference(
          imperative.withNewInputAggBufferOffset(0).withNewMutableAggBufferOffset(0),
          AttributeSeq(inputs)
        )
        bound match {
          case typed: TypedImperativeAggregate[_] =>
            new TypedRun(typed.asInstanceOf[TypedImperativeAggregate[AnyRef]])
          case rows => new ImperativeRun(rows)
        }
      case other => throw new IllegalArgumentException(s"not an aggregate that Spark runs: $other")
    }

  /** Returns true if Spark can run the function at all, over any rows. */
  def canRun(function: AggregateFunction): Boolean = function match {
    case _: SizeBasedWindowFunction => false
    case _: DeclarativeAggregate | _: ImperativeAggregate => true
    case _ => false
  }

  /** Returns true if its partials can be kept and merged. */
  def canMerge(function: AggregateFunction): Boolean = function match {
    case declarative: DeclarativeAggregate =>
      Try(declarative.mergeExpressions).isSuccess && canFreeze(declarative)
    case _: TypedImperativeAggregate[_] => true
    case other => canFreeze(other)
  }

  private[muntin] def canFreeze(function: AggregateFunction): Boolean =
    !bufferTypes(function).exists(_.isInstanceOf[ObjectType])

  private[muntin] def bufferTypes(function: AggregateFunction): Seq[DataType] =
    function.aggBufferAttributes.map(_.dataType)

  /**
   * Returns true if rows can be added to a partial that was written and read as to the original,
   * and its written size does not depend on the number of rows.
   */
  def isSaved(function: AggregateFunction): Boolean = function match {
    case UserAggregate(_) | _: CountMinSketchAgg => true
    case own: SmallBuffer => own.isSmall
    // A map grows with its values; a histogram draws random numbers, and its bytes do not determine
    // the next ones.
    case _: TypedImperativeAggregate[_] => false
    case other => canFreeze(other)
  }

  /**
   * Returns the types of the columns in which `isSaved` functions write a partial; empty if the
   * bytes have a form of their own.
   */
  def savedTypes(function: AggregateFunction): Seq[DataType] = function match {
    case UserAggregate(user) => Seq(user.bufferType)
    case _: TypedImperativeAggregate[_] => Nil
    case fields => if (isSaved(fields)) bufferTypes(fields) else Nil
  }

  /** Binds the encoders of a user's aggregator, unless Spark's analysis has. */
  def bindEncoders(function: AggregateFunction): AggregateFunction = function match {
    case UserAggregate(user) => user.withEncoders
    case other => other
  }
}

/** Runs aggregates whose buffer is a row of fields: frozen as Spark's compact rows. */
private abstract class FieldsRun(function: AggregateFunction)
    extends SparkAggregate[UnsafeRow](function) {
  protected final val types: Seq[DataType] = SparkAggregate.bufferTypes(function)
  protected final var buffer: InternalRow = new SpecificInternalRow(types)
  private lazy val projection = UnsafeProjection.create(types.toArray)

  final override def currentBuffer: AnyRef = buffer

  final override def take(partial: AnyRef): Unit = hold(partial.asInstanceOf[InternalRow])

  final override def start(): Unit = {
    hold(new SpecificInternalRow(types))
    zero()
  }

  protected def hold(row: InternalRow): Unit = buffer = row

  protected final def compact(row: InternalRow): UnsafeRow = projection(row).copy()

  final override def freeze(): UnsafeRow = compact(buffer)

  final override def sizeOf(frozen: UnsafeRow): Long = FieldsRun.Header + frozen.getSizeInBytes

  final override def bytesOf(frozen: UnsafeRow): Array[Byte] = frozen.getBytes

  final override def ofBytes(bytes: Array[Byte]): UnsafeRow = {
    val row = new UnsafeRow(types.size)
    row.pointTo(bytes, bytes.length)
    row
  }

  final override def updatesMerged: Boolean = true
}

private object FieldsRun {
  // The row's object and its array's header.
  private val Header = 64L
}

/** Runs aggregates that are expressions over their buffer. */
private final class DeclarativeRun(function: DeclarativeAggregate, inputs: Seq[Attribute])
    extends FieldsRun(function) {
  private val fields = function.aggBufferAttributes
  private val joined = new JoinedRow
  private val result = new SpecificInternalRow(Seq(function.dataType))
  // The projections for every row get their target once, not with each row.
  private val initial = MutableProjection.create(function.initialValues, Nil).target(buffer)
  private val updating =
    MutableProjection.create(function.updateExpressions, fields ++ inputs).target(buffer)
  private lazy val merging = MutableProjection.create(
    function.mergeExpressions,
    fields ++ function.inputAggBufferAttributes
  )
  private lazy val loading = MutableProjection.create(fields, fields)
  private val evaluating =
    MutableProjection.create(Seq(function.evaluateExpression), fields).target(result)

  override protected def hold(row: InternalRow): Unit = {
    super.hold(row)
    initial.target(row): Unit
    updating.target(row): Unit
  }

  override def zero(): Unit = initial(InternalRow.empty): Unit

  override def update(row: InternalRow): Unit = updating(joined(buffer, row)): Unit

  override def thaw(frozen: UnsafeRow): Unit = loading.target(buffer)(frozen): Unit

  override def merge(frozen: UnsafeRow): Unit =
    merging.target(buffer)(joined(buffer, frozen)): Unit

  override def storedType: DataType =
    StructType(fields.map(a => StructField(a.name, a.dataType)))

  override def storedOf(frozen: UnsafeRow): Any = frozen

  override def ofStored(stored: Any): UnsafeRow = stored match {
    case row: UnsafeRow => row
    case other => compact(other.asInstanceOf[InternalRow])
  }

  override def value: Any = evaluating(buffer).get(0, function.dataType)
}

/** Runs aggregates that work on the fields of a buffer themselves. */
private final class ImperativeRun(function: ImperativeAggregate) extends FieldsRun(function) {
  override def zero(): Unit = function.initialize(buffer)

  override def update(row: InternalRow): Unit = function.update(buffer, row)

  // Copies into the buffer, which may have fields that Spark's compact rows do not return; field by
  // field, as a merge might round.
  override def thaw(frozen: UnsafeRow): Unit =
    types.indices.foreach(i => buffer.update(i, frozen.get(i, types(i))))

  override def merge(frozen: UnsafeRow): Unit = function.merge(buffer, frozen)

  override def value: Any = function.eval(buffer)
}

/** Runs aggregates whose buffer is an object. */
private final class TypedRun(function: TypedImperativeAggregate[AnyRef])
    extends SparkAggregate[Array[Byte]](function) {
  // A user's aggregator accepts rows after a merge as before. A merge or serialization can turn
  // Spark's own sketches into another object that accepts no rows; maps and bins do not change.
  private val users = UserAggregate.unapply(function).isDefined
  private val isPlain = function.isInstanceOf[HistogramNumeric] ||
    function.isInstanceOf[TypedAggregateWithHashMapAsBuffer]
  private val updatesAfterMerge = users || function.isInstanceOf[SmallBuffer]
  private var buffer: AnyRef = _

  override def zero(): Unit = buffer = function.createAggregationBuffer()

  override def start(): Unit = zero()

  override def currentBuffer: AnyRef = buffer

  override def take(partial: AnyRef): Unit = buffer = partial

  override def update(row: InternalRow): Unit = buffer = function.update(buffer, row)

  // The array may be the function's own, which it fills again at its next call.
  override def freeze(): Array[Byte] = function.serialize(buffer).clone()

  override def thaw(frozen: Array[Byte]): Unit =
    if (updatesAfterMerge) buffer = function.deserialize(frozen)
    else {
      zero()
      merge(frozen)
    }

  override def merge(frozen: Array[Byte]): Unit =
    buffer = function.merge(buffer, function.deserialize(frozen))

  override def sizeOf(frozen: Array[Byte]): Long = TypedRun.Header + frozen.length

  override def bytesOf(frozen: Array[Byte]): Array[Byte] = frozen

  override def ofBytes(bytes: Array[Byte]): Array[Byte] = bytes

  override def updatesMerged: Boolean = users || isPlain

  override def value: Any = function.eval(buffer)
}

private object TypedRun {
  private val Header = 16L
}

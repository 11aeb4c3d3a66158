package org.apache.spark.sql.muntin.aggregates

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.{OwnPartial, OwnPartials, Partials}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

/**
 * An aggregate of Muntin's whose partial is an object of the kernel. Spark's operators run it row
 * by row; Muntin's read columns.
 */
trait OwnAggregate[F <: OwnPartial[F]] extends TypedImperativeAggregate[F] with SmallBuffer {

  /** What it reads of a row, in types that columns have. */
  def inputs: Seq[Expression]

  /** The aggregate over rows of such columns; rows whose mark is null are not there. */
  final def over(columns: Seq[Column], marks: Option[Column]): OwnRun = {
    val folded = partials(columns, marks)
    new OwnRun(folded) {
      override def write(target: InternalRow, ordinal: Int): Unit =
        OwnAggregate.this.write(folded.hand, target, ordinal)
    }
  }

  protected def partials(columns: Seq[Column], marks: Option[Column]): OwnPartials[F]

  /** Writes the result, or null, to a field. */
  protected def write(partial: F, target: InternalRow, ordinal: Int): Unit

  override def isSmall: Boolean = true

  override def merge(partial: F, later: F): F = {
    partial.merge(later)
    partial
  }

  override def serialize(partial: F): Array[Byte] = OwnPartialBytes.of(partial)

  override def deserialize(bytes: Array[Byte]): F =
    OwnPartialBytes.read(bytes, createAggregationBuffer())
}

/** An aggregate over columns: its partials, and the result of the one in hand. */
abstract class OwnRun(val partials: Partials[_ <: AnyRef]) {
  def write(target: InternalRow, ordinal: Int): Unit
}

/** A partial of the kernel's as bytes. */
private[muntin] object OwnPartialBytes {
  def of(partial: OwnPartial[_]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    partial.save(new DataOutputStream(bytes))
    bytes.toByteArray
  }

  /** Makes `partial` what the bytes are. */
  def read[F <: OwnPartial[F]](bytes: Array[Byte], partial: F): F = {
    partial.restore(new DataInputStream(new ByteArrayInputStream(bytes)))
    partial
  }
}

package org.apache.spark.sql.muntin.execution.split

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.types.LongType

/** Rows of a key and a time, one by one and in stripes. */
trait KeysAndTimes {
  protected val columns: Seq[AttributeReference] =
    Seq("k", "t").map(name => AttributeReference(name, LongType)())

  private val projection = UnsafeProjection.create(columns.map(_.dataType).toArray)

  protected def row(key: Long, time: Long): UnsafeRow =
    projection(new GenericInternalRow(Array[Any](key, time))).copy()

  protected def stripe(rows: Seq[UnsafeRow]): Stripe = {
    val values = columns.indices.map { c =>
      val bytes = ByteBuffer.allocate(8 * rows.size).order(ByteOrder.nativeOrder())
      rows.foreach(row => bytes.putLong(row.getLong(c)))
      bytes.array()
    }
    val none = new Array[Array[Byte]](columns.size)
    new Stripe(rows.size, values.toArray, none, none)
  }
}

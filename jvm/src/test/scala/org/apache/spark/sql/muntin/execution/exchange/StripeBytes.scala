package org.apache.spark.sql.muntin.execution.exchange

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import org.apache.spark.sql.execution.metric.SQLMetric

/** Stripes written and read by the serializer. */
private[exchange] object StripeBytes {
  def write(
      layout: Layout,
      stripes: Iterator[Stripe],
      size: SQLMetric = new SQLMetric("size")
  ): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new StripeSerializer(layout, size).newInstance().serializeStream(bytes)
    stripes.foreach(s => out.writeKey(0).writeValue(s))
    out.close()
    bytes.toByteArray
  }

  def read(layout: Layout, bytes: Array[Byte]): Seq[Stripe] =
    new StripeSerializer(layout, new SQLMetric("size"))
      .newInstance()
      .deserializeStream(new ByteArrayInputStream(bytes))
      .asKeyValueIterator
      .map(_._2.asInstanceOf[Stripe])
      .toVector
}

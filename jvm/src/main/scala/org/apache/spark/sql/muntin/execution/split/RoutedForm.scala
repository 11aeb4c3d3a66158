package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.execution.metric.SQLMetric

/** What rows are while a partition is exchanged by range: one by one, or in stripes, as `A`. */
private[split] trait RoutedForm[A] extends Serializable {
  def serializer(metrics: Map[String, SQLMetric]): Serializer

  /**
   * The rows, each with the partition of the exchange that it goes to; and behind the last of them
   * how many are in each segment.
   */
  def route(rows: Iterator[A], to: ExchangedPartition): Iterator[Product2[Int, A]]

  /** The rows that have come through. */
  def received(sent: A): A

  /** Adds the counts that have come through, of one route. */
  def addCounts(sent: A, to: SegmentCounts): Unit
}

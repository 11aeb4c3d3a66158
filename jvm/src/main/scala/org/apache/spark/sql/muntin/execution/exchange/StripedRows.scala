package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.spark.UnpackedRows

/** Converts rows of an exchange of columns to stripes and back, for operators that read stripes. */
private[execution] object StripedRows {

  /** Returns the rows of stripes, as an exchange would return them. */
  def apply(stripes: RDD[Stripe], layout: Layout): RDD[InternalRow] =
    new UnpackedRows(stripes, (of: Iterator[Stripe]) => StripeRows.of(layout, of))

  /** Returns the stripes of rows that lie in stripes (`SupportsStripes`). */
  def stripes(rows: RDD[InternalRow]): RDD[Stripe] = rows match {
    // Stripes are the only packs.
    case unpacked: UnpackedRows[_] => unpacked.packs.asInstanceOf[RDD[Stripe]]
    case other => throw new IllegalStateException(s"not in stripes: $other")
  }

  /** Puts rows into stripes while they are read. */
  def converted(rows: RDD[InternalRow], layout: Layout): RDD[Stripe] =
    rows.mapPartitionsInternal(ofTask => new StripesOfRows(ofTask, layout, 1, _ => 0).map(_._2))
}

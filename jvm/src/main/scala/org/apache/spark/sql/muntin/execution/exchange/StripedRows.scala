package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.spark.UnpackedRows

/** Converts rows of an exchange of columns to stripes and back, for operators that read stripes. */
private[execution] object StripedRows {

  /** Returns the rows of stripes, as an exchange would return them. */
  def apply(stripes: RDD[Stripe], layout: Layout): RDD[InternalRow] =
    new UnpackedRows(stripes, (of: Iterator[Stripe]) => StripeRows.of(layout, of))

  /** Returns any rows in stripes; rows of Spark's own shuffle are converted while they are read. */
  def stripes(rows: RDD[InternalRow], layout: Layout): RDD[Stripe] = rows match {
    case StripedRows(stripes) => stripes
    case _ =>
      rows.mapPartitionsInternal(ofTask => new StripesOfRows(ofTask, layout, 1, _ => 0).map(_._2))
  }

  def unapply(rows: RDD[InternalRow]): Option[RDD[Stripe]] = rows match {
    // Stripes are the only packs.
    case unpacked: UnpackedRows[_] => Some(unpacked.packs.asInstanceOf[RDD[Stripe]])
    case _ => None
  }
}

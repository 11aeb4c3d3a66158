package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.spark.UnpackedRows

/** Rows that an exchange of columns gives: an operator that reads stripes has them here. */
private[execution] object StripedRows {

  /** The rows of such stripes, as an exchange would give them. */
  def apply(stripes: RDD[Stripe], layout: Layout): RDD[InternalRow] =
    new UnpackedRows(stripes, (of: Iterator[Stripe]) => StripeRows.of(layout, of))

  /** Returns any rows in stripes; rows of Spark's own shuffle are put into stripes as they come. */
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

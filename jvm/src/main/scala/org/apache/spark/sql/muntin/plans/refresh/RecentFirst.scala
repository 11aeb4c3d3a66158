package org.apache.spark.sql.muntin.plans.refresh

/** Reads the rows shortly before a change first, because most keys need no others. */
private[refresh] object RecentFirst {

  /** Which parts of the time before the change are read before all of it. */
  private val Parts = Seq(1.0 / 32, 1.0 / 4)

  /**
   * Returns from which places on rows are read, one after the other; None reads all rows.
   *
   * @param first
   *   the place of the first row
   * @param change
   *   the place of the first change
   */
  def starts(first: Option[Double], change: Option[Double]): Seq[Option[Double]] =
    (first, change) match {
      case (Some(f), Some(c)) if f < c && !f.isInfinite && !c.isInfinite =>
        Parts.map(part => Some(c - part * (c - f))) :+ None
      case _ => Seq(None)
    }
}

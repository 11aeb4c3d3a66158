package org.apache.spark.sql.muntin.plans.refresh

/**
 * The greater of a length on the time axis (`TimeAxis`), and the way to the n-th next row in the
 * order of time.
 */
private[refresh] final case class Distance(time: Double, rows: Int) {
  def max(other: Distance): Distance =
    Distance(math.max(time, other.time), math.max(rows, other.rows))
}

private[refresh] object Distance {
  val Zero: Distance = Distance(0.0, 0)
}

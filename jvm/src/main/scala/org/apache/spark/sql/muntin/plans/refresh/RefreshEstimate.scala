package org.apache.spark.sql.muntin.plans.refresh

/**
 * Decides whether the whole query costs less than the affected results. Costs are in rows that the
 * whole query reads, computes and writes, as measured by benchmarks/refresh.py.
 *
 * @param all
 *   the number of rows of the source
 * @param read
 *   the number of rows that are read
 * @param rewritten
 *   which part of the table of results is written again
 * @param stretches
 *   the number of stretches
 */
private[muntin] final case class RefreshEstimate(
    all: Long,
    read: Long,
    rewritten: Double,
    stretches: Long
) {
  import RefreshEstimate._

  def isWholeCheaper: Boolean =
    Jobs + Search * all + Compute * read + Copy * rewritten * all + Stretch * stretches > all
}

private[muntin] object RefreshEstimate {

  /** Returns true if the jobs of a refresh alone cost more than the whole query. */
  def isSmall(all: Long): Boolean = RefreshEstimate(all, 0L, 0.0, 0L).isWholeCheaper

  /** Returns true if the stretches alone cost so much that counting their rows is not worth it. */
  def isLarge(all: Long, stretches: Long): Boolean = stretches > MostStretches * all

  private val MostStretches = 0.01

  /** The jobs of a refresh, for any number of rows. */
  private val Jobs = 3000000.0

  /** Searching the source and the target for the rows of the stretches. */
  private val Search = 0.1

  /** Computing and storing the results of a row. */
  private val Compute = 0.7

  /** Copying a result of an affected partition that is not affected itself. */
  private val Copy = 0.5

  private val Stretch = 10.0
}

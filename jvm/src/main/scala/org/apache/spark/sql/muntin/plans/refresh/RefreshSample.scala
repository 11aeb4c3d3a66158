package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.muntin.spark.{BatchQuery, LocalSession}

/**
 * Estimates a refresh after many changes from some of the keys and some of the files, because
 * counting the affected rows may take as long as the whole query.
 *
 * @param changed
 *   the changed rows, with the columns of `locality.rows`
 * @param targetRows
 *   the rows of `target`, read by their footers
 */
private[refresh] final class RefreshSample(
    session: SparkSession,
    locality: KeyLocality,
    changed: LogicalPlan,
    target: RefreshTarget,
    targetRows: LogicalPlan,
    footers: Footers
) {
  import RefreshSample._

  /**
   * Returns true if enough rows have changed for a sample to save time.
   *
   * @param source
   *   the changed table
   */
  def isUseful(source: LogicalPlan): Boolean = {
    def bytes(plan: LogicalPlan) =
      BatchQuery(session, plan).queryExecution.optimizedPlan.stats.sizeInBytes
    val ofChanges = bytes(changed)
    ofChanges < LocalSession.conf(session).defaultSizeInBytes &&
    ofChanges * MostChanges > bytes(source)
  }

  /** The changed rows of some keys. */
  def ofSomeKeys: LogicalPlan = {
    val ofKey = Pmod(XxHash64(locality.keys.map(_._1), 42L), Literal(Keys))
    Filter(EqualTo(ofKey, Literal(0L)), changed)
  }

  /**
   * Returns the estimate.
   *
   * @param stretches
   *   the stretches of `ofSomeKeys`
   * @param all
   *   the number of rows of the source
   * @param rows
   *   `locality.rows` over a part of the source's files
   * @param part
   *   the part's share of the source's rows
   */
  def estimate(
      stretches: Stretches,
      all: Long,
      rows: LogicalPlan,
      part: Double
  ): RefreshEstimate = {
    val results = footers.someFiles(targetRows)
    val tables = Seq(results, stretches.affected(results), stretches.read(rows))
    val counts = target.count(tables.map(BatchQuery(session, _)): _*)
    val ofSample = target.rewritten(counts(0))
    RefreshEstimate(
      all,
      (counts(2).rows * Keys / part).toLong,
      if (ofSample == 0.0) 0.0 else target.rewritten(counts(1)) / ofSample,
      stretches.count * Keys
    )
  }
}

private object RefreshSample {

  /** A sample is used if one of as many rows has changed. */
  private val MostChanges = 100

  /** One of as many keys is in the sample. */
  private val Keys = 16L
}

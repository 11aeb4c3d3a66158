package org.apache.spark.sql.muntin.plans.refresh

/**
 * A refresh of a table of results.
 *
 * @param target
 *   the table
 * @param source
 *   the changed table in the query; None if the query reads one table
 * @param isDryRun
 *   whether the target stays unchanged
 * @param isWhole
 *   whether all results are computed; None if an estimate decides
 */
final case class RefreshRequest(
    target: String,
    source: Option[String],
    isDryRun: Boolean,
    isWhole: Option[Boolean]
)

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Matches a table of a catalog that plans its own scans: its name with the catalog, and itself. */
object V2Table {
  def unapply(plan: LogicalPlan): Option[(String, Table)] = plan match {
    case relation: DataSourceV2Relation =>
      for (catalog <- relation.catalog; id <- relation.identifier) yield {
        val parts = catalog.name +: id.namespace.toSeq :+ id.name
        (parts.map(quoteIdentifier).mkString("."), relation.table)
      }
    case _ => None
  }
}

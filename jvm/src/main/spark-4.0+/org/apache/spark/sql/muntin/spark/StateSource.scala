package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.state.StateTable

/**
 * Reads rows from the data source `statestore`: the checkpoint and the operator's short name.
 */
object StateSource {
  def unapply(relation: LogicalPlan): Option[(String, String)] = relation match {
    case source: DataSourceV2Relation if source.table.isInstanceOf[StateTable] =>
      val checkpoint = source.options.get("path")
      val number = source.options.getLong("operatorId", 0L)
      val session = SparkSession.active
      for {
        last <- CommittedBatch.last(session, checkpoint)
        operators = EndedStream.operators(session, last).map(EndedStream.info)
        (_, name) <- operators.find { case (place, _) => place == number }
      } yield (checkpoint, name)
    case _ => None
  }
}

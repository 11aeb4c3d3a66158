package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Returns a row for each group in the state of a checkpoint, after the micro-batch `batch` or the
 * last committed one. Each task reads the state of one partition of an operator.
 */
case class StateExec(checkpoint: String, batch: Option[Long], output: Seq[Attribute])
    extends LeafExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def nodeName: String = "MuntinState"

  // A later plan may see another micro-batch.
  override protected def doCanonicalize(): StateExec = this

  override protected def doExecute(): RDD[InternalRow] = {
    val from = CheckpointFolder.stored(session, checkpoint, batch)
    val operators = new CheckpointRequirements("state", checkpoint).windows(from)
    val (types, counted) = (output.map(_.dataType).toArray, longMetric(OperatorMetrics.OutputRows))
    val zone = conf.sessionLocalTimeZone
    sparkContext.union(operators.map { operator =>
      from.read(operator) { (partition, state) =>
        val unsafe = UnsafeProjection.create(types)
        StoredGroups(operator, zone).rows(partition, state).map[InternalRow] { row =>
          counted += 1L
          unsafe(row)
        }
      }
    })
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName $checkpoint ${output.mkString("[", ", ", "]")}"
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.muntin.spark.{EndedStream, MuntinAnalysisException}

/**
 * Returns the rows that the query of a checkpoint would emit if its stream ended after a committed
 * micro-batch: `batch`, or the last. It runs the operators of the query over their state, without
 * rows.
 */
case class PendingExec(
    @transient query: LogicalPlan,
    checkpoint: String,
    batch: Option[Long],
    output: Seq[Attribute]
) extends LeafExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def nodeName: String = "MuntinPending"

  // A later plan may see another micro-batch.
  override protected def doCanonicalize(): PendingExec = this

  override protected def doExecute(): RDD[InternalRow] =
    CheckpointFolder.committed(
      session,
      checkpoint,
      batch
    ).fold(sparkContext.emptyRDD[InternalRow]) { last =>
      val end = EndedStream(session, query, last, Seq(MuntinConf.StreamLateRows.key))
      end.difference.foreach { difference =>
        throw new MuntinAnalysisException(
          "MUNTIN_PENDING_OF_OTHER_QUERY",
          difference.parameters(checkpoint): _*
        )
      }
      end.otherOperator.foreach { operator =>
        throw new MuntinAnalysisException(
          "MUNTIN_PENDING_WITH_STATEFUL_OPERATOR",
          "operator" -> operator
        )
      }
      val types = output.map(_.dataType).toArray
      val counted = longMetric(OperatorMetrics.OutputRows)
      end.rows.mapPartitionsInternal { rows =>
        val unsafe = UnsafeProjection.create(types)
        rows.map { row =>
          counted += 1L
          unsafe(row)
        }
      }
    }

  override def simpleString(maxFields: Int): String =
    s"$nodeName $checkpoint ${output.mkString("[", ", ", "]")}"
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.muntin.spark.{
  CheckpointCopy,
  MuntinAnalysisException,
  QueryDifference,
  StoredCheckpoint,
  StoredOperator
}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Copies a checkpoint to the folder `to`, with the state of its operators in another number of
 * partitions. Emits a row for each operator. If it fails, it deletes the folder.
 */
case class RepartitionExec(checkpoint: String, partitions: Int, to: String, output: Seq[Attribute])
    extends LeafExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def nodeName: String = "MuntinRepartition"

  // It is executed once.
  override protected def doCanonicalize(): RepartitionExec = this

  private lazy val moved: Seq[InternalRow] = {
    CheckpointFolder.check(session, checkpoint)
    val from = StoredCheckpoint(session, checkpoint).getOrElse {
      throw error("MUNTIN_CHECKPOINT_WITHOUT_BATCH")
    }
    val copy = new CheckpointCopy(from, to)
    if (!copy.isFree) {
      throw new MuntinAnalysisException("MUNTIN_REPARTITION_TARGET_NOT_EMPTY", "path" -> to)
    }
    if (from.isInUse) throw error("MUNTIN_REPARTITION_OF_RUNNING_QUERY")
    val routings = from.operators.map { operator =>
      if (operator.name != StreamWindowsExec.ShortName) {
        throw error("MUNTIN_REPARTITION_WITH_STATEFUL_OPERATOR", "operator" -> operator.name)
      }
      checkLayout(operator)
      StateRouting.of(operator, partitionsOf(operator))
    }
    if (routings.isEmpty) throw error("MUNTIN_REPARTITION_WITHOUT_STATE")
    try {
      val sizes = routings.map(r => StateRouting.move(r, from, copy, r.operator.number))
      copy.copyOperators()
      copy.finish()
      from.operators.zip(sizes).map { case (operator, ofPartitions) => row(operator, ofPartitions) }
    } catch {
      case failure: Throwable =>
        copy.delete()
        throw failure
    }
  }

  private def checkLayout(operator: StoredOperator): Unit =
    QueryDifference.ofLayout(operator.properties, StreamStore.LayoutVersion)
      .foreach(difference => throw difference.error(checkpoint))

  // Marks are of all groups.
  private def partitionsOf(operator: StoredOperator): Int =
    if (operator.properties.contains(MarksJob.Every)) 1 else partitions

  private def error(condition: String, parameters: (String, String)*): MuntinAnalysisException =
    new MuntinAnalysisException(condition, ("checkpoint" -> checkpoint) +: parameters: _*)

  private def row(operator: StoredOperator, sizes: Seq[PartitionSize]): InternalRow = InternalRow(
    operator.number.toInt,
    UTF8String.fromString(operator.properties.getOrElse("window", "")),
    sizes.size,
    sizes.map(_.groups).sum,
    sizes.map(_.rows).sum,
    sizes.map(_.bytes).sum,
    sizes.map(_.bytes).max
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val unsafe = UnsafeProjection.create(output.map(_.dataType).toArray)
    val rows: Seq[InternalRow] = moved.map(unsafe(_).copy())
    longMetric(OperatorMetrics.OutputRows) += rows.size.toLong
    sparkContext.parallelize(rows, 1)
  }

  override def simpleString(maxFields: Int): String = s"$nodeName $checkpoint, $partitions, $to"
}

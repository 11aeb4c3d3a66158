package org.apache.spark.sql.muntin.spark

import org.apache.spark.{JobArtifactSet, PartitionEvaluatorFactory, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.python.ArrowPythonRunner
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * The rows of a task to a function of Python's and its rows back, in Arrow batches, as mapInArrow
 * brings them.
 */
final class PythonRows private (factory: PartitionEvaluatorFactory[InternalRow, InternalRow])
    extends Serializable {
  def apply(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    factory.createEvaluator().eval(TaskContext.getPartitionId(), rows)
}

object PythonRows {

  /** `batchRows`: how many rows a batch has, at most. */
  def apply(
      code: PythonCode,
      input: StructType,
      output: Seq[Attribute],
      batchRows: Int,
      conf: SQLConf,
      metrics: Map[String, SQLMetric]
  ): PythonRows = new PythonRows(
    MapInArrow(
      code.function,
      input,
      output,
      batchRows,
      conf,
      ArrowPythonRunner.getPythonRunnerConfMap(conf),
      metrics,
      JobArtifactSet.getCurrentJobArtifactState.map(_.uuid)
    )
  )
}

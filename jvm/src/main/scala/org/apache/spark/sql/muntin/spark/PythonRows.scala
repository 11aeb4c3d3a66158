package org.apache.spark.sql.muntin.spark

import org.apache.spark.{JobArtifactSet, PartitionEvaluatorFactory, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.python.ArrowPythonRunner
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Passes the rows of a task to a Python function, and returns its rows, in Arrow batches, like
 * mapInArrow.
 */
final class PythonRows private (factory: PartitionEvaluatorFactory[InternalRow, InternalRow])
    extends Serializable {
  def apply(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    factory.createEvaluator().eval(TaskContext.getPartitionId(), rows)
}

object PythonRows {

  /** `batchRows`: the maximum number of rows of a batch. */
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

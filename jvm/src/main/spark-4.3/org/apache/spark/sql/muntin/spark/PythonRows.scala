package org.apache.spark.sql.muntin.spark

import org.apache.spark.{JobArtifactSet, PartitionEvaluatorFactory, TaskContext}
import org.apache.spark.api.python.{ChainedPythonFunctions, PythonEvalType}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.python.{ArrowPythonRunner, MapInBatchEvaluatorFactory}
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
  def apply(
      code: PythonCode,
      input: StructType,
      output: Seq[Attribute],
      batchRows: Int,
      conf: SQLConf,
      metrics: Map[String, SQLMetric]
  ): PythonRows = new PythonRows(
    new MapInBatchEvaluatorFactory(
      output,
      Seq((ChainedPythonFunctions(Seq(code.function)), 0L)),
      input,
      DataTypeUtils.fromAttributes(output),
      batchRows,
      PythonEvalType.SQL_MAP_ARROW_ITER_UDF,
      conf.sessionLocalTimeZone,
      conf.arrowUseLargeVarTypes,
      ArrowPythonRunner.getPythonRunnerConfMap(conf),
      metrics,
      JobArtifactSet.getCurrentJobArtifactState.map(_.uuid),
      None
    )
  )
}

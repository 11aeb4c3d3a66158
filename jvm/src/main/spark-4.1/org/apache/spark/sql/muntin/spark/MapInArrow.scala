package org.apache.spark.sql.muntin.spark

import org.apache.spark.PartitionEvaluatorFactory
import org.apache.spark.api.python.{ChainedPythonFunctions, PythonEvalType, PythonFunction}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.python.MapInBatchEvaluatorFactory
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Spark's evaluator of mapInArrow, whose constructor differs between Spark versions. */
private[spark] object MapInArrow {
  def apply(
      function: PythonFunction,
      input: StructType,
      output: Seq[Attribute],
      batchRows: Int,
      conf: SQLConf,
      workerConf: Map[String, String],
      metrics: Map[String, SQLMetric],
      artifacts: Option[String]
  ): PartitionEvaluatorFactory[InternalRow, InternalRow] = new MapInBatchEvaluatorFactory(
    output,
    Seq((ChainedPythonFunctions(Seq(function)), 0L)),
    input,
    DataTypeUtils.fromAttributes(output),
    batchRows,
    PythonEvalType.SQL_MAP_ARROW_ITER_UDF,
    conf.sessionLocalTimeZone,
    conf.arrowUseLargeVarTypes,
    workerConf,
    metrics,
    artifacts,
    None,
    None
  )
}

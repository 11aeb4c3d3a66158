package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.python.PythonSQLMetrics

/** An operator that sends rows to Python workers, with the metrics of Spark's Python operators. */
trait PythonOperator extends UnaryExecNode with PythonSQLMetrics

package org.apache.spark.sql.muntin.spark

import scala.annotation.unused

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

/** Spark's real-time mode, which has no state before Spark 4.3. */
object RealTimeMode {
  val hasState: Boolean = false

  val listSetting: String = "spark.sql.streaming.realTimeMode.allowlistCheck"

  def isListChecked(@unused conf: SQLConf): Boolean = true

  def isTriggerOf(@unused started: WriteToStreamStatement): Boolean = false

  def isIn(@unused plan: SparkPlan): Boolean = false

  def batchMillis(@unused plan: SparkPlan): Option[Long] = None

  def clockMillis: Long = System.currentTimeMillis

  def holding(@unused plan: SparkPlan)(@unused passes: SparkPlan => Boolean): Option[SparkPlan] =
    None
}

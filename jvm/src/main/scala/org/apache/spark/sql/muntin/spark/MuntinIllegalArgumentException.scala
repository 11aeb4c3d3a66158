package org.apache.spark.sql.muntin.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.muntin.errors.ErrorConditions

/** An error of a call to the Scala API, with a Muntin condition. */
final class MuntinIllegalArgumentException private (
    condition: String,
    parameters: Map[String, String]
) extends IllegalArgumentException(ErrorConditions(condition).message(parameters))
    with SparkThrowable {

  def this(condition: String, parameters: (String, String)*) = this(condition, parameters.toMap)

  def getCondition: String = condition

  override def getErrorClass: String = condition

  override def getSqlState: String = ErrorConditions(condition).sqlState

  override def getMessageParameters: util.Map[String, String] = parameters.asJava
}

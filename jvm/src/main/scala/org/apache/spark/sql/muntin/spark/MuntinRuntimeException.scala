package org.apache.spark.sql.muntin.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.muntin.errors.{ErrorConditions, ShownValue}

/** An error of a running query, with a Muntin condition. */
final class MuntinRuntimeException(
    condition: String,
    parameters: Map[String, String],
    reason: Throwable
) extends RuntimeExceptionWithCondition(condition, reason) {
  private val values = parameters.map { case (name, value) => name -> ShownValue(value) }
  private val text = ErrorConditions(condition).message(values)

  def this(condition: String, parameters: (String, String)*) =
    this(condition, parameters.toMap, null)

  override def getMessage: String = text

  override def getSqlState: String = ErrorConditions(condition).sqlState

  override def getMessageParameters: util.Map[String, String] = values.asJava
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.muntin.errors.{ErrorConditions, ShownValue}

/**
 * An error of analysis or planning, with a Muntin condition. A plain AnalysisException
 * accepts only the conditions in Spark's file.
 */
final class MuntinAnalysisException private (
    condition: String,
    parameters: Map[String, String],
    origin: Origin
) extends AnalysisException(
      ErrorConditions(condition).message(parameters),
      origin.line,
      origin.startPosition,
      None,
      Some(condition),
      parameters,
      Array.empty[QueryContext]
    ) {

  def this(condition: String, parameters: (String, String)*) =
    this(
      condition,
      parameters.map { case (name, value) => name -> ShownValue(value) }.toMap,
      Origin()
    )

  override def getSqlState: String = ErrorConditions(condition).sqlState

  override def withPosition(origin: Origin): AnalysisException =
    new MuntinAnalysisException(condition, parameters, origin)
}

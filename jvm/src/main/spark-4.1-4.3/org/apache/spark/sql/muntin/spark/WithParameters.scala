package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.{ParameterContext, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/** Spark's parser of a text with parameters. */
private[spark] trait WithParameters extends SparkSqlParser {
  protected def over[T](toResult: SqlBaseParser => T): SqlBaseParser => T

  override def parseWithParameters[T](command: String, parameters: ParameterContext)(
      toResult: SqlBaseParser => T
  ): T = super.parseWithParameters(command, parameters)(over(toResult))
}

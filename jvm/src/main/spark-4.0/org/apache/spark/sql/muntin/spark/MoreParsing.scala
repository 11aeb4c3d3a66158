package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.{ParserInterface, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/** What parsers of later Sparks have besides. */
private[spark] trait MoreParsing extends ParserInterface with OtherParser

/** Spark's parser of a text with parameters: here it gets the text as any other. */
private[spark] trait WithParameters extends SparkSqlParser {
  protected def over[T](toResult: SqlBaseParser => T): SqlBaseParser => T
}

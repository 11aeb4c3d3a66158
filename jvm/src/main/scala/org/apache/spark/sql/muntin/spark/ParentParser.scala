package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A parser that delegates to another parser. If that fails, Muntin's parser parses statements that
 * can contain a query.
 */
private[spark] trait ParentParser extends ParserInterface with MoreParsing {
  override def parsePlan(text: String): LogicalPlan =
    orExtended(parent.parsePlan(text))(_.parsePlan(text))

  override def parseQuery(text: String): LogicalPlan =
    orExtended(parent.parseQuery(text))(_.parseQuery(text))

  override def parseExpression(text: String): Expression =
    orExtended(parent.parseExpression(text))(_.parseExpression(text))

  override def parseTableIdentifier(text: String): TableIdentifier =
    parent.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    parent.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    parent.parseMultipartIdentifier(text)

  override def parseTableSchema(text: String): StructType = parent.parseTableSchema(text)

  override def parseDataType(text: String): DataType = parent.parseDataType(text)
}

private[spark] trait OtherParser {
  protected def parent: ParserInterface

  /** Returns the result of `parent`, or of the Muntin parser if `parent` rejects the text. */
  protected def orExtended[T](parents: => T)(owns: SparkSqlParser => T): T
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A parser that hands everything to another; and what can hold a query, where the other fails, to
 * a parser of its own.
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

  /** What `parent` makes of a text, or the own parser where `parent` refuses it. */
  protected def orExtended[T](parents: => T)(owns: SparkSqlParser => T): T
}

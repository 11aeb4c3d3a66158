package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.command.CreateSQLFunctionCommand

/** CREATE FUNCTION … RETURN …: the text of the body, which is an expression or a query. */
object FunctionBody {
  def unapply(create: CreateSQLFunctionCommand): Some[(Option[String], Option[String])] =
    Some((create.exprText, create.queryText))
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  Analyzer,
  FunctionRegistry,
  FunctionResolution,
  FunctionType,
  UnresolvedFunction
}

/** Spark's function lookup by name. */
object FunctionNames {

  /** Returns the registry name of a function without a CREATE FUNCTION. */
  def builtin(name: String): FunctionIdentifier = FunctionRegistry.builtinFunctionIdentifier(name)

  /** Returns true if a call in a query finds a function. */
  def finds(analyzer: Analyzer, nameParts: Seq[String]): Boolean =
    new FunctionResolution(analyzer.catalogManager, analyzer.getRelationResolution)
      .lookupFunctionType(nameParts) != FunctionType.NotFound

  /** Returns true if the call has IGNORE NULLS or RESPECT NULLS. */
  def hasNullTreatment(call: UnresolvedFunction): Boolean = call.ignoreNulls.isDefined

  def ignoresNulls(call: UnresolvedFunction): Boolean = call.ignoreNulls.contains(true)

  def withoutNulls(call: UnresolvedFunction): UnresolvedFunction = call.copy(ignoreNulls = None)
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, Analyzer, UnresolvedFunction}
import org.apache.spark.sql.connector.catalog.{CatalogManager, FunctionCatalog, LookupCatalog}

/** Spark's function lookup by name. */
object FunctionNames {

  /** Returns the registry name of a function without a CREATE FUNCTION. */
  def builtin(name: String): FunctionIdentifier = FunctionIdentifier(name)

  /** Returns true if a call in a query finds a function. */
  def finds(analyzer: Analyzer, nameParts: Seq[String]): Boolean =
    new Catalogs(analyzer.catalogManager).find(nameParts)

  /** Returns true if the call has IGNORE NULLS: before Spark 4.2, RESPECT NULLS has no effect. */
  def hasNullTreatment(call: UnresolvedFunction): Boolean = call.ignoreNulls

  def ignoresNulls(call: UnresolvedFunction): Boolean = call.ignoreNulls

  def withoutNulls(call: UnresolvedFunction): UnresolvedFunction = call.copy(ignoreNulls = false)

  private class Catalogs(override protected val catalogManager: CatalogManager)
      extends LookupCatalog {
    def find(nameParts: Seq[String]): Boolean = isOfSession(nameParts) ||
      (inView(nameParts) match {
        // Other catalogs do not have functions.
        case CatalogAndIdentifier(catalog: FunctionCatalog, name) => catalog.functionExists(name)
        case _ => false
      })

    private def isOfSession(nameParts: Seq[String]): Boolean = nameParts match {
      case Seq(name) =>
        val functions = catalogManager.v1SessionCatalog
        functions.lookupBuiltinOrTempFunction(name).isDefined ||
        functions.lookupBuiltinOrTempTableFunction(name).isDefined
      case _ => false
    }

    /** In a view, names are resolved in the catalog and schema in which it was created. */
    private def inView(nameParts: Seq[String]): Seq[String] =
      AnalysisContext.get.catalogAndNamespace match {
        case Seq() => nameParts
        case ofView if nameParts.size == 1 => ofView ++ nameParts
        case _ if catalogManager.isCatalogRegistered(nameParts.head) => nameParts
        case ofView => ofView.head +: nameParts
      }
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.streaming.Rendered

/** Tests of a table of results that is refreshed. */
trait RefreshedTables extends MuntinSession {

  /** The name of the table. */
  protected def results: String

  /** Asserts that the table has the results of the query, bit for bit. */
  protected final def checkRefreshed(query: String): Unit = {
    val wanted = spark.sql(query)
    val found = spark.table(results)
    def shown(rows: Array[Row]) = rows.map(Rendered(_)).sorted.toSeq
    val inOrder = found.select(wanted.columns.toSeq.map(found(_)): _*)
    assert(shown(inOrder.collect()) === shown(wanted.collect()))
    ()
  }
}

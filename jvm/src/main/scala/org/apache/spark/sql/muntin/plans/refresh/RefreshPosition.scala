package org.apache.spark.sql.muntin.plans.refresh

import com.fasterxml.jackson.databind.JsonNode

/**
 * Up to where a table of results is fresh. It is stored with the table, in the commit of the
 * results:
 *
 *     {"query": "5d1f…", "sources": {"delta:file:/data/readings": "41"}}
 *
 * @param query
 *   a digest of the query (`QueryDigest`)
 * @param sources
 *   the position of each table that the query reads, by the table's identity
 */
private[refresh] final case class RefreshPosition(query: String, sources: Map[String, String]) {
  def text: String = {
    val root = JsonMap.write(Map("query" -> query))
    root.set[JsonNode]("sources", JsonMap.write(sources)): Unit
    root.toString
  }
}

private[refresh] object RefreshPosition {

  /** The name under which tables store the position. */
  val Name = "muntin.refresh"

  def of(text: String): RefreshPosition = {
    val root = JsonMap.parse(text)
    RefreshPosition(root.get("query").asText, JsonMap.read(root.get("sources")))
  }
}

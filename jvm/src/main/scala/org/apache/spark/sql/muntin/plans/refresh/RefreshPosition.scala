package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

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
    val root = RefreshPosition.mapper.createObjectNode()
    root.put("query", query): Unit
    val read = root.putObject("sources")
    SortedMap(sources.toSeq: _*).foreach { case (name, at) => read.put(name, at): Unit }
    root.toString
  }
}

private[refresh] object RefreshPosition {

  /** The name under which tables store the position. */
  val Name = "muntin.refresh"

  private val mapper = new ObjectMapper()

  def of(text: String): RefreshPosition = {
    val root = mapper.readTree(text)
    val sources = root.get("sources").properties.asScala
      .map(source => source.getKey -> source.getValue.asText)
    RefreshPosition(root.get("query").asText, sources.toMap)
  }
}

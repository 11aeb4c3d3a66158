package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

/** Texts by name as a JSON object, in the order of the names. */
private[refresh] object JsonMap {
  private val mapper = new ObjectMapper()

  def write(values: Map[String, String]): ObjectNode = {
    val node = mapper.createObjectNode()
    SortedMap(values.toSeq: _*).foreach { case (name, value) => node.put(name, value): Unit }
    node
  }

  def parse(text: String): JsonNode = mapper.readTree(text)

  def read(node: JsonNode): Map[String, String] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
}

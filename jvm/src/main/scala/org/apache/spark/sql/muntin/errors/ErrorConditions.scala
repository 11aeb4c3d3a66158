package org.apache.spark.sql.muntin.errors

import java.net.URL

import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** An error condition: its SQLSTATE, and a message with parameters such as `<function>`. */
final case class ErrorCondition(name: String, sqlState: String, template: String) {
  import ErrorCondition.Parameter

  /** The names of the message's parameters. */
  lazy val parameters: Set[String] = Parameter.findAllMatchIn(template).map(_.group(1)).toSet

  /** Returns the error's text: the name, the message with these values, and the SQLSTATE. */
  def message(values: Map[String, String]): String = {
    val filled = Parameter.replaceAllIn(
      template,
      found => {
        val value = values.getOrElse(
          found.group(1),
          throw new IllegalStateException(s"$name requires a value for <${found.group(1)}>")
        )
        java.util.regex.Matcher.quoteReplacement(value)
      }
    )
    s"[$name] $filled SQLSTATE: $sqlState"
  }
}

object ErrorCondition {
  private val Parameter = "<([a-zA-Z]+)>".r
}

/**
 * Muntin's error conditions: the file error-conditions.json, in the format of Spark's file of the
 * same name. The Python package reads the same file, and docs/errors.md is generated from it.
 */
object ErrorConditions {
  private val File = "/io/muntin/error-conditions.json"

  def url: URL = getClass.getResource(File)

  lazy val all: Map[String, ErrorCondition] = {
    val source = getClass.getResourceAsStream(File)
    val root =
      try new ObjectMapper().readTree(source)
      finally source.close()
    val conditions = root.properties.asScala.map { entry =>
      entry.getKey -> condition(entry.getKey, entry.getValue)
    }
    ListMap(conditions.toSeq: _*)
  }

  private def condition(name: String, read: JsonNode): ErrorCondition = ErrorCondition(
    name,
    read.get("sqlState").asText,
    read.get("message").asScala.map(_.asText).mkString(" ")
  )

  def apply(name: String): ErrorCondition =
    all.getOrElse(name, throw new IllegalStateException(s"error-conditions.json lacks $name"))
}

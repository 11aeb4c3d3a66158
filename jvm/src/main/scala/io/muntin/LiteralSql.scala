package io.muntin

import scala.util.matching.Regex

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Runs a statement with arguments in place of `:name`, as literals. Spark's own parameters fail in
 * a session with an extension whose parser does not pass them on, as Delta's for Spark 4.1.
 */
private[muntin] object LiteralSql {
  def apply(spark: SparkSession, text: String, arguments: Map[String, Any]): DataFrame = {
    val isRaw =
      spark.conf.get("spark.sql.parser.escapedStringLiterals", "false") == "true"
    def literal(value: Any): String = value match {
      case null => "NULL"
      case word: String if isRaw => if (word.contains("'")) "\"" + word + "\"" else s"'$word'"
      case word: String => "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"
      case other => other.toString
    }
    spark.sql(":(\\w+)".r.replaceAllIn(
      text,
      found => Regex.quoteReplacement(literal(arguments(found.group(1))))
    ))
  }
}

package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.InputParameter

/**
 * What `functions/definitions` says of an SQL function, as DESCRIBE FUNCTION shows it, with _FUNC_
 * in the place of the name.
 *
 * @param parameters
 *   those with a default last
 * @param query
 *   an example
 * @param rows
 *   what the example gives, its columns parted by tabs
 */
final case class Definition(
    name: String,
    parameters: Seq[InputParameter],
    usage: String,
    arguments: String,
    query: String,
    rows: Seq[String]
) {
  def examples: String =
    s"\n    Examples:\n      > $query;\n${rows.map(row => s"       $row\n").mkString}"
}

object Definition {
  def required(name: String): InputParameter = InputParameter(name)

  /** A parameter that may be left out; null where nothing stands in its place. */
  def optional(name: String, default: Any): InputParameter =
    InputParameter(name, Some(Literal(default)))
}

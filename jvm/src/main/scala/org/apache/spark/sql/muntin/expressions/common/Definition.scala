package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.InputParameter

/**
 * The definition of an SQL function from `codegen/definitions`, as DESCRIBE FUNCTION shows it,
 * with _FUNC_ in place of the name.
 *
 * @param parameters
 *   parameters with a default come last
 * @param query
 *   an example
 * @param rows
 *   the result of the example, with tabs between columns
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

  /** Returns a parameter that may be omitted; its default is null, unless `default` is given. */
  def optional(name: String, default: Any): InputParameter =
    InputParameter(name, Some(Literal(default)))
}

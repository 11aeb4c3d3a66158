package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** change: a copy of a checkpoint that a changed query continues, as a table. */
object Change extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "change",
    Seq("query", "checkpoint", "to").map(Definition.required) :+
      Definition.optional("incomplete", false) :+ Definition.optional("output_mode", null) :+
      Definition.optional("renamed", null),
    "_FUNC_(TABLE(query), checkpoint, to[, incomplete][, output_mode][, renamed]) - Copies the " +
      "checkpoint of a stopped streaming query to another folder, with the state of a changed " +
      "query, and returns a row for each window function, as compare does. The checkpoint is " +
      "only read. Use it in FROM.",
    """
    Arguments:
      * query - a table: a view of the changed streaming DataFrame
      * checkpoint - a string literal: the checkpointLocation of the query before the change
      * to - a string literal: the folder of the copy, which must not exist or must be empty
      * incomplete - whether windows may restart, or be dropped with rows that wait. The default
          is false
      * output_mode - 'append' or 'update': the output mode of the changed query. The default is
          the output mode in the checkpoint
      * renamed - a map: the names of columns before the change, with their names in the query
  """,
    "SELECT * FROM change(TABLE(totals), '/checkpoints/totals', '/checkpoints/new')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}

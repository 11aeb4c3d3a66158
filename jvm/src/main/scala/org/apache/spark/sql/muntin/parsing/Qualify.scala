package org.apache.spark.sql.muntin.parsing

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.muntin.spark.SqlTokens

/**
 * Rewrites QUALIFY for a Spark that does not support it. The condition becomes a column of the
 * query, and an outer query keeps the rows for which the column is true.
 *
 *     SELECT DISTINCT a FROM t QUALIFY rank() OVER w = 1 WINDOW w AS (…) ORDER BY a
 *     SELECT DISTINCT * EXCEPT (q) FROM (SELECT a, (rank() OVER w = 1) AS q FROM t WINDOW w AS (…))
 *     WHERE q ORDER BY a
 */
private[parsing] object Qualify extends Step {
  private val ends = Seq(
    "ORDER",
    "SORT",
    "CLUSTER",
    "DISTRIBUTE",
    "LIMIT",
    "OFFSET",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "WINDOW",
    ";",
    "<EOF>",
    "|>"
  )

  override def rewriteFirst(words: Words): Option[Words] =
    if (SqlTokens.has("QUALIFY")) None
    else (0 until words.size).iterator.filter(words.is(_, "QUALIFY")).flatMap(changed(words, _))
      .nextOption()

  private def changed(words: Words, qualify: Int): Option[Words] = {
    val around = words.closing.filter { case (open, close) => open < qualify && qualify < close }
    val (start, end) =
      if (around.isEmpty) (0, words.size)
      else {
        val (open, close) = around.maxBy(_._1)
        (open + 1, close)
      }
    val places = words.outermost(start, end)
    def next(from: Int, stops: Seq[String]): Int =
      places.find(i => i >= from && stops.contains(words(i))).getOrElse(end)
    places.filter(i => i < qualify && words.is(i, "SELECT")).lastOption.map { select =>
      val from = math.min(next(select, Seq("FROM")), qualify)
      val stop = next(qualify + 1, ends)
      val windows = if (words.is(stop, "WINDOW")) next(stop + 1, ends) else stop
      val isDistinct = words.is(select + 1, "DISTINCT")
      val list = select + (if (isDistinct) 2 else 1)
      val place = words.tokens(qualify)
      val first = words.tokens(select)
      val column = "_muntin_qualify"
      def at(token: Token, name: String, text: String) = SqlTokens.at(token, name, text)
      val condition = words.slice(qualify + 1, stop)
      words.replaced(
        select,
        windows,
        words.slice(select, list) ++ Seq(
          at(first, "ASTERISK", "*"),
          at(first, "EXCEPT", "EXCEPT"),
          at(first, "LEFT_PAREN", "("),
          at(first, "IDENTIFIER", column),
          at(first, "RIGHT_PAREN", ")"),
          at(first, "FROM", "FROM"),
          at(first, "LEFT_PAREN", "("),
          at(first, "SELECT", "SELECT")
        ) ++ words.slice(list, from) ++ Seq(
          at(words.tokens(from - 1), "COMMA", ","),
          at(words.tokens(from - 1), "LEFT_PAREN", "(")
        ) ++ condition ++ Seq(
          at(words.tokens(from - 1), "RIGHT_PAREN", ")"),
          at(words.tokens(from - 1), "AS", "AS"),
          at(words.tokens(from - 1), "IDENTIFIER", column)
        ) ++ words.slice(from, qualify) ++ words.slice(stop, windows) ++ Seq(
          at(place, "RIGHT_PAREN", ")"),
          at(place, "WHERE", "WHERE"),
          at(place, "IDENTIFIER", column)
        )
      )
    }
  }
}

package org.apache.spark.sql.muntin.parsing

import org.apache.spark.sql.muntin.spark.SqlTokens

/** Finds the arguments of calls: parentheses after a name. */
private[parsing] object Calls {
  private val noFunctions = Set(
    "OVER",
    "AS",
    "IN",
    "EXISTS",
    "GROUP",
    "BY",
    "FROM",
    "JOIN",
    "WHERE",
    "SELECT",
    "VALUES",
    "AND",
    "OR",
    "NOT",
    "ON",
    "USING",
    "LATERAL",
    "TABLE",
    "UNION",
    "ALL",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "FILTER",
    "HAVING",
    "QUALIFY",
    "WHEN",
    "THEN",
    "ELSE",
    "CASE",
    "DISTINCT",
    "ANY",
    "SOME",
    "LIKE",
    "BETWEEN",
    "SETS",
    "CUBE",
    "ROLLUP",
    "INTO",
    "SORT",
    "ORDER",
    "PARTITION",
    "WITH",
    "RECURSIVE"
  )

  /** Returns the parentheses around the arguments of calls. */
  def all(words: Words): Seq[(Int, Int)] = words.closing.toSeq.sorted.filter { case (open, _) =>
    words.isName(open - 1) && !noFunctions(words(open - 1)) && !words.holdsQuery(open)
  }

  /** Returns the position after a FILTER at `i`; `i` if there is no FILTER. */
  def afterFilter(words: Words, i: Int): Int =
    if (words.are(i, "FILTER", "(")) words.closing.get(i + 1).fold(i)(_ + 1) else i
}

/** Rewrites first_value(x IGNORE NULLS): Spark expects IGNORE NULLS after the arguments. */
private[parsing] object NullTreatment extends Step {
  override def rewriteFirst(words: Words): Option[Words] = Calls.all(words).collectFirst {
    case (open, close)
        if words.is(close - 1, "NULLS") && words.is(close - 2, "IGNORE", "RESPECT") &&
          close - 2 > open + 1 =>
      val end = Calls.afterFilter(words, close + 1)
      words.replaced(
        close - 2,
        end,
        words.slice(close, end) ++ words.slice(close - 2, close)
      )
  }
}

/** Rewrites array_agg(x ORDER BY y) to WITHIN GROUP, which Spark supports. */
private[parsing] object OrderOfArguments extends Step {
  override def rewriteFirst(words: Words): Option[Words] =
    Calls.all(words).iterator.flatMap { case (open, close) =>
      order(words, open, close).map { from =>
        val place = words.tokens(close)
        val items = words.slice(from, close)
        val around = Seq(
          place,
          SqlTokens.at(place, "WITHIN", "WITHIN"),
          SqlTokens.at(place, "GROUP", "GROUP"),
          SqlTokens.at(place, "LEFT_PAREN", "(")
        )
        words.replaced(
          from,
          close + 1,
          (around ++ items) :+ SqlTokens.at(place, "RIGHT_PAREN", ")")
        )
      }
    }.nextOption()

  private def order(words: Words, open: Int, close: Int): Option[Int] = {
    val places = words.outermost(open + 1, close)
    // A table function's TABLE(t) PARTITION BY … ORDER BY … is not such an order.
    if (places.exists(words.is(_, "PARTITION", "DISTRIBUTE", "TABLE"))) None
    else places.find(words.are(_, "ORDER", "BY"))
  }
}

/** Rewrites nth_value(x, n) FROM FIRST and FROM LAST before OVER. */
private[parsing] object FromLast extends Step {
  override def rewriteFirst(words: Words): Option[Words] = Calls.all(words).collectFirst {
    case (open, close) if isFrom(words, open, close) =>
      val without = words.replaced(close + 1, close + 3, Nil)
      if (words.is(close + 2, "FIRST")) without else counted(without, open, close)
  }

  private def isFrom(words: Words, open: Int, close: Int): Boolean =
    words.name(open - 1) == "NTH_VALUE" && words.is(close + 1, "FROM") &&
      words.is(close + 2, "FIRST", "LAST") &&
      words.is(close + 3, "OVER", "FILTER", "IGNORE", "RESPECT")

  private def counted(words: Words, open: Int, close: Int): Words =
    words.outermost(open + 1, close).find(words.is(_, ",")).fold(words) { comma =>
      val name = words.tokens(open - 1)
      val n = words.tokens(comma + 1)
      val number = SqlTokens.at(n, "MINUS", "-") +: SqlTokens.at(n, "LEFT_PAREN", "(") +:
        words.slice(comma + 1, close) :+
        SqlTokens.at(words.tokens(close), "RIGHT_PAREN", ")")
      words
        .replaced(comma + 1, close, number)
        .replaced(
          open - 1,
          open,
          Seq(SqlTokens.name(name, StandardWords.Nth))
        )
    }
}

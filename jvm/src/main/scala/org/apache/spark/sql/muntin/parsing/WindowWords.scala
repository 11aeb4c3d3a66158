package org.apache.spark.sql.muntin.parsing

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.muntin.spark.SqlTokens

/** Finds the parentheses of windows: after OVER, or in a WINDOW clause after a name and AS. */
private[parsing] object WindowParentheses {
  def all(words: Words): Seq[(Int, Int)] = words.closing.toSeq.sorted.filter { case (open, _) =>
    (words.is(open - 1, "OVER") || isNamed(words, open)) && !words.holdsQuery(open)
  }

  def isNamed(words: Words, open: Int): Boolean =
    words.is(open - 1, "AS") && words.isName(open - 2) && words.is(open - 3, "WINDOW", ",")

  /** Returns the position of ROWS, RANGE or GROUPS if a frame begins in the parentheses. */
  def frame(words: Words, open: Int, close: Int): Option[Int] =
    words.outermost(open + 1, close).reverseIterator.find { i =>
      words.is(i, "ROWS", "RANGE", "GROUPS") && beginsFrame(words, i, close)
    }

  /** Returns true if the word at `i` begins a frame, and is not the name of a column. */
  def beginsFrame(words: Words, i: Int, close: Int): Boolean =
    !words.is(i - 1, "BY", ",", ".") && i + 1 < close &&
      (words.is(i + 1, "BETWEEN", "UNBOUNDED", "CURRENT") ||
        words.outermost(i + 1, close).exists(words.is(_, "PRECEDING", "FOLLOWING")))
}

/** Inlines the window w in OVER (w ROWS …) and WINDOW v AS (w ORDER BY …). */
private[parsing] object ExtendedWindow extends Step {
  override def rewriteFirst(words: Words): Option[Words] =
    WindowParentheses.all(words).iterator.flatMap { case (open, close) =>
      if (!isExtended(words, open, close)) None
      else {
        namedWindow(words, open).map { case (from, until) =>
          words.replaced(open + 1, open + 2, words.slice(from, until).map(SqlTokens.copy))
        }
      }
    }.nextOption()

  private def isExtended(words: Words, open: Int, close: Int): Boolean =
    words.isName(open + 1) && (isNameOnly(words, open, close) || continuesClause(
      words,
      open,
      close
    ))

  /** Returns true for WINDOW v AS (w). */
  private def isNameOnly(words: Words, open: Int, close: Int): Boolean =
    open + 2 == close && WindowParentheses.isNamed(words, open)

  private def continuesClause(words: Words, open: Int, close: Int): Boolean =
    words.is(open + 2, "PARTITION", "ORDER", "SORT", "ROWS", "RANGE", "GROUPS") &&
      !WindowParentheses.beginsFrame(words, open + 1, open + 2) &&
      !(words.is(open + 1, "PARTITION", "DISTRIBUTE", "CLUSTER", "ORDER", "SORT") &&
        words.is(open + 2, "BY")) && open + 2 < close

  /** Returns the contents of the parentheses of the window whose name follows `open`. */
  private def namedWindow(words: Words, open: Int): Option[(Int, Int)] = {
    val name = words.name(open + 1)
    val (start, end) = query(words, open)
    val named = words.outermost(start, end).filter { i =>
      words.closing.contains(i) && WindowParentheses.isNamed(words, i) && words.name(i - 2) == name
    }
    // In a WINDOW clause, a window extends an earlier one.
    val isNamed = WindowParentheses.isNamed(words, open)
    val found = if (isNamed) named.filter(_ < open).lastOption else named.find(_ > open)
    found.filter(_ != open).map(i => (i + 1, words.closing(i)))
  }

  /** Returns the range of the innermost query around `i`. */
  private def query(words: Words, i: Int): (Int, Int) = {
    val around = words.closing.filter { case (open, close) =>
      open < i && i < close && words.holdsQuery(open)
    }
    if (around.isEmpty) (0, words.size)
    else {
      val (open, close) = around.maxBy(_._1)
      (open + 1, close)
    }
  }
}

/** Rewrites GROUPS, EXCLUDE, and bounds whose offsets are expressions of the row. */
private[parsing] object FrameWords extends Step {
  private val exclusions =
    Seq(Seq("CURRENT", "ROW"), Seq("GROUP"), Seq("TIES"), Seq("NO", "OTHERS"))

  override def rewriteFirst(words: Words): Option[Words] =
    WindowParentheses.all(words).iterator.flatMap { case (open, close) =>
      WindowParentheses.frame(words, open, close).flatMap(changed(words, open, close, _))
    }.nextOption()

  private def changed(words: Words, open: Int, close: Int, frame: Int): Option[Words] = {
    val excluded = exclusions.find { e =>
      val at = close - e.size
      at - 1 > frame && words.is(at - 1, "EXCLUDE") && words.are(at, e: _*)
    }
    val isGroups = words.is(frame, "GROUPS")
    val end = excluded.fold(close)(e => close - e.size - 1)
    val ofRows = RowBoundWords(words, frame, end)
    if (!isGroups && excluded.isEmpty && ofRows.isEmpty) None
    else {
      val place = words.tokens(frame)
      val kind = if (isGroups) "ROWS" else words(frame)
      val bounds =
        if (ofRows.isDefined) Nil
        else SqlTokens.at(place, kind, kind) +: words.slice(frame + 1, end)
      val mark =
        if (!isGroups && ofRows.isEmpty && excluded.contains(exclusions.last)) Nil
        else {
          val hasOrder = words.outermost(open + 1, frame).exists { i =>
            words.is(i, "ORDER", "SORT") && words.is(i + 1, "BY")
          }
          def literal(word: String) = SqlTokens.at(place, "STRING_LITERAL", s"'$word'")
          val order =
            if (hasOrder) Seq(SqlTokens.at(place, "COMMA", ","))
            else Seq(SqlTokens.at(place, "ORDER", "ORDER"), SqlTokens.at(place, "BY", "BY"))
          order ++ Seq(
            SqlTokens.name(place, StandardWords.Mark),
            SqlTokens.at(place, "LEFT_PAREN", "("),
            literal(
              if (ofRows.isDefined) words(frame).toLowerCase else if (isGroups) "groups" else ""
            ),
            SqlTokens.at(place, "COMMA", ","),
            literal(excluded.getOrElse(exclusions.last).mkString(" ").toLowerCase)
          ) ++ ofRows.getOrElse(Nil) ++ Seq(
            SqlTokens.at(place, "RIGHT_PAREN", ")")
          )
        }
      Some(words.replaced(frame, close, mark ++ bounds))
    }
  }
}

/** The bounds of a frame as arguments of the mark, if an offset is not a literal. */
private[parsing] object RowBoundWords {

  /** Returns the bounds between `frame` and `end`; None if the offsets are literals. */
  def apply(words: Words, frame: Int, end: Int): Option[Seq[Token]] = {
    val places = words.outermost(frame + 1, end)
    val isPair = words.is(frame + 1, "BETWEEN")
    val first = if (isPair) frame + 2 else frame + 1
    places.find(i => i >= first && isEnd(words, i)).flatMap { lower =>
      val second = if (isPair) lower + 2 else end
      if (isPair && !words.is(lower + 1, "AND")) None
      else if (isLiteral(words, first, lower) && (!isPair || isLiteral(words, second, end - 1))) {
        None
      } else {
        val ends = bound(words, first, lower + 1) ++
          (if (isPair) bound(words, second, end) else current(words.tokens(frame)))
        Some(ends)
      }
    }
  }

  private def isEnd(words: Words, i: Int): Boolean =
    words.is(i, "PRECEDING", "FOLLOWING") || (words.is(i, "ROW") && words.is(i - 1, "CURRENT"))

  private val literals =
    Set("INTERVAL", "+", "-", "UNBOUNDED", "CURRENT", "ROW", "TO") ++ Seq(
      "YEAR",
      "QUARTER",
      "MONTH",
      "WEEK",
      "DAY",
      "HOUR",
      "MINUTE",
      "SECOND",
      "MILLISECOND",
      "MICROSECOND"
    ).flatMap(unit => Seq(unit, s"${unit}S"))

  private def isLiteral(words: Words, from: Int, until: Int): Boolean =
    (from until until).forall { i =>
      val word = words(i)
      literals(word) || word.headOption.exists(c => c.isDigit || c == '\'' || c == '.')
    }

  private def bound(words: Words, from: Int, until: Int): Seq[Token] = {
    val last = until - 1
    if (words.is(from, "UNBOUNDED")) side(words.tokens(last), "unbounded", Nil)
    else if (words.is(last, "ROW")) current(words.tokens(last))
    else side(words.tokens(last), words(last).toLowerCase, words.slice(from, last))
  }

  private def current(place: Token): Seq[Token] = side(place, "current row", Nil)

  private def side(place: Token, name: String, offset: Seq[Token]): Seq[Token] = {
    val comma = SqlTokens.at(place, "COMMA", ",")
    val defaultTokens = if (offset.isEmpty) Seq(SqlTokens.at(place, "NULL", "NULL")) else offset
    Seq(comma, SqlTokens.at(place, "STRING_LITERAL", s"'$name'"), comma) ++ defaultTokens
  }
}

package org.apache.spark.sql.muntin.parsing

import java.util.Locale

import org.antlr.v4.runtime.Token

/** The tokens of a query, without spaces and comments. */
final class Words(val tokens: Vector[Token]) {
  def size: Int = tokens.size

  /** Returns the word at `i` in upper case; a quoted name or a string includes its quotes. */
  def apply(i: Int): String =
    if (i < 0 || i >= size) "" else tokens(i).getText.toUpperCase(Locale.ROOT)

  def is(i: Int, words: String*): Boolean = words.contains(this(i))

  /** Returns true if these words are at `i` and after it. */
  def are(i: Int, words: String*): Boolean =
    words.indices.forall(k => this(i + k) == words(k))

  /** Returns true if there is a name at `i`, quoted or not. */
  def isName(i: Int): Boolean =
    this(i).headOption.exists(c => c.isLetter || c == '_' || c == '`')

  /** Returns the name at `i` in the form in which names are compared. */
  def name(i: Int): String = this(i).stripPrefix("`").stripSuffix("`")

  /** Maps each opening parenthesis to its closing one. */
  lazy val closing: Map[Int, Int] = {
    var opened = List.empty[Int]
    val pairs = Map.newBuilder[Int, Int]
    (0 until size).foreach { i =>
      if (is(i, "(")) opened = i :: opened
      else if (is(i, ")") && opened.nonEmpty) {
        pairs += opened.head -> i
        opened = opened.tail
      }
    }
    pairs.result()
  }

  /** Returns the positions between `from` and `until` that are not in nested parentheses. */
  def outermost(from: Int, until: Int): Vector[Int] = {
    val places = Vector.newBuilder[Int]
    var i = from
    while (i < until) {
      places += i
      i = closing.get(i).filter(_ < until).getOrElse(i + 1)
    }
    places.result()
  }

  /** Returns true if the parentheses contain a query. */
  def holdsQuery(open: Int): Boolean =
    is(open + 1, "SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE") ||
      (is(open + 1, "(") && holdsQuery(open + 1))

  /** Returns the tokens from `from` up to, but not including, `until`. */
  def slice(from: Int, until: Int): Vector[Token] = tokens.slice(from, until)

  def replaced(from: Int, until: Int, by: Seq[Token]): Words =
    new Words(tokens.patch(from, by, until - from))
}

package org.apache.spark.sql.muntin.spark

import org.antlr.v4.runtime.{CommonToken, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * The kinds of tokens of the running Spark, by their names in Spark's grammar: a Spark that has
 * more keywords has other numbers.
 */
object SqlTokens {
  private val kinds: Map[String, Int] = {
    val vocabulary = SqlBaseLexer.VOCABULARY
    (1 to vocabulary.getMaxTokenType).flatMap { kind =>
      Option(vocabulary.getSymbolicName(kind)).map(_ -> kind)
    }.toMap
  }

  /** Whether the running Spark has a keyword of this name. */
  def has(name: String): Boolean = kinds.contains(name)

  /** A token with another text, at the place of `place` in the text of the query. */
  def at(place: Token, name: String, text: String): Token = {
    val token = new CommonToken(place)
    token.setType(kinds(name))
    token.setText(text)
    token.setChannel(Token.DEFAULT_CHANNEL)
    token
  }

  /** A name of letters, digits and underbars: Spark reads quoted names from the text itself. */
  def name(place: Token, text: String): Token = at(place, "IDENTIFIER", text)

  /** The same token, to stand once more among the tokens. */
  def copy(token: Token): Token = new CommonToken(token)
}

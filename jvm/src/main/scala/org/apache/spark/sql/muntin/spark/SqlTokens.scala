package org.apache.spark.sql.muntin.spark

import org.antlr.v4.runtime.{CommonToken, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * The token types of the running Spark, by their names in Spark's grammar: their numbers depend on
 * the Spark version.
 */
object SqlTokens {
  private val kinds: Map[String, Int] = {
    val vocabulary = SqlBaseLexer.VOCABULARY
    (1 to vocabulary.getMaxTokenType).flatMap { kind =>
      Option(vocabulary.getSymbolicName(kind)).map(_ -> kind)
    }.toMap
  }

  /** Returns true if the running Spark has a keyword of this name. */
  def has(name: String): Boolean = kinds.contains(name)

  /** Returns a token with another text, at the position of `place`. */
  def at(place: Token, name: String, text: String): Token = {
    val token = new CommonToken(place)
    token.setType(kinds(name))
    token.setText(text)
    token.setChannel(Token.DEFAULT_CHANNEL)
    token
  }

  /**
   * Returns an unquoted identifier of letters, digits and underscores: Spark reads quoted names
   * from the original text.
   */
  def name(place: Token, text: String): Token = at(place, "IDENTIFIER", text)

  /** Returns a copy of the token, to insert it again. */
  def copy(token: Token): Token = new CommonToken(token)
}

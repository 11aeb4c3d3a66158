package org.apache.spark.sql.muntin.parsing

import org.antlr.v4.runtime.Token

/**
 * Parses the parts of the SQL standard's windows that Spark's grammar does not support. Rewrites
 * the tokens of a query that Spark has rejected so that Spark's grammar accepts them. If Spark's
 * grammar cannot express a part, the part becomes a call of a function that only the analyzer's
 * rule `StandardWindows` resolves.
 *
 *     nth_value(x, 2) FROM LAST OVER w          _muntin_nth(x, -(2)) OVER w
 *     first_value(x IGNORE NULLS) OVER w        first_value(x) IGNORE NULLS OVER w
 *     array_agg(x ORDER BY y) OVER w            array_agg(x) WITHIN GROUP (ORDER BY y) OVER w
 *     OVER (w ROWS 2 PRECEDING)                 OVER (ORDER BY t ROWS 2 PRECEDING)
 *     OVER (ORDER BY t GROUPS 2 PRECEDING       OVER (ORDER BY t, _muntin_frame('groups', 'ties')
 *           EXCLUDE TIES)                             ROWS 2 PRECEDING)
 *     OVER (ORDER BY t ROWS n PRECEDING)        OVER (ORDER BY t, _muntin_frame('rows',
 *                                                     'no others', 'preceding', n,
 *                                                     'current row', NULL))
 *
 * Guarded by StandardWindowsSuite.
 */
object StandardWords {

  /**
   * The function in an ORDER BY that contains GROUPS, EXCLUDE, or offsets that are expressions of
   * the row.
   */
  val Mark: String = "_muntin_frame"

  /** nth_value whose rows may be counted from the last. */
  val Nth: String = "_muntin_nth"

  private val steps: Seq[Step] =
    Seq(NullTreatment, OrderOfArguments, FromLast, ExtendedWindow, FrameWords, Qualify)

  /** Returns the rewritten tokens; None if the query does not have these parts. */
  def apply(tokens: Seq[Token]): Option[Seq[Token]] = {
    val words = new Words(tokens.filter(_.getChannel == Token.DEFAULT_CHANNEL).toVector)
    val changed = steps.foldLeft(words)((rewritten, step) => step.everywhere(rewritten))
    if (changed eq words) None else Some(changed.tokens)
  }
}

/** Rewrites one construct of the standard to Spark's grammar. */
private[parsing] trait Step {

  /** Rewrites the first such construct; None if there is none. */
  def rewriteFirst(words: Words): Option[Words]

  final def everywhere(words: Words): Words = {
    // A step does not produce a construct that it would find again. A query has at most as many
    // constructs as words.
    var rewritten = words
    var left = words.size
    var next = rewriteFirst(rewritten)
    while (next.isDefined && left > 0) {
      rewritten = next.get
      next = rewriteFirst(rewritten)
      left -= 1
    }
    rewritten
  }
}

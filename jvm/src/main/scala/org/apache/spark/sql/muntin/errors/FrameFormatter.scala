package org.apache.spark.sql.muntin.errors

import java.util.regex.{Matcher, Pattern}

/**
 * Formats frames in a message as users write them. Spark shows an offset before the row as a
 * negative offset after it.
 *
 *     RANGE BETWEEN INTERVAL '-0 06:00:00' DAY TO SECOND FOLLOWING AND CURRENT ROW
 *     RANGE BETWEEN INTERVAL '0 06:00:00' DAY TO SECOND PRECEDING AND CURRENT ROW
 *
 * Text in a checkpoint keeps Spark's form, because it is compared.
 */
private[muntin] object FrameFormatter {
  private val Offset = Pattern.compile(
    "(?:INTERVAL '-([0-9][0-9:. ]*(?:-[0-9]+)?|[0-9.]+ [a-z]+)'((?: [A-Z]+)*)" +
      "|(?<![\\w.'])-([0-9][0-9.]*[A-Z]*)) FOLLOWING"
  )
  // In a calendar interval each part has a sign.
  private val Calendar =
    Pattern.compile("INTERVAL '(-[0-9.]+ [a-z]+(?: -[0-9.]+ [a-z]+)+)' FOLLOWING")

  def apply(message: String): String = {
    val calendar = replaced(Calendar, message) { m =>
      val parts = m.group(1).replace("-", "")
      s"INTERVAL '$parts'"
    }
    replaced(Offset, calendar) { m =>
      if (m.group(3) != null) m.group(3) else s"INTERVAL '${m.group(1)}'${m.group(2)}"
    }
  }

  private def replaced(pattern: Pattern, text: String)(offset: Matcher => String): String = {
    val found = pattern.matcher(text)
    val out = new StringBuffer
    while (found.find())
      found.appendReplacement(out, Matcher.quoteReplacement(s"${offset(found)} PRECEDING"))
    found.appendTail(out).toString
  }
}

package io.muntin

import java.time.Duration

import scala.util.matching.Regex

/** Durations as Spark's own `window` takes them: `30 seconds`, `1 hour 30 minutes`. */
private[muntin] object Durations {
  private val micros: Map[String, Long] = Map(
    "week" -> 604800000000L,
    "day" -> 86400000000L,
    "hour" -> 3600000000L,
    "minute" -> 60000000L,
    "second" -> 1000000L,
    "millisecond" -> 1000L,
    "microsecond" -> 1L
  )

  private val one: Regex = raw"([+-]?)\s*(\d+(?:\.\d+)?|\.\d+)\s+([a-z]+?)s?(?=\s|$$)".r
  private val all: Regex = raw"(?:interval\s+)?((?:$one\s*)+)".r

  def apply(function: String, parameter: String, text: String): Duration = {
    def invalid: Nothing = throw Invalid(
      function,
      parameter,
      s"'$text'",
      "a duration of weeks or less, such as '1 hour', '30 seconds' or '1 hour 30 minutes'"
    )
    text.trim.toLowerCase(java.util.Locale.ROOT) match {
      case all(parts, _*) =>
        val lengths = one.findAllMatchIn(parts).map { part =>
          val number = BigDecimal(part.group(1) + part.group(2))
          val length = number * micros.getOrElse(part.group(3), invalid)
          val isFit = length.isWhole && (number.scale <= 0 || part.group(3) == "second")
          if (isFit) length else invalid
        }.sum
        if (!lengths.isValidLong) invalid
        Duration.of(lengths.toLong, java.time.temporal.ChronoUnit.MICROS)
      case _ => invalid
    }
  }
}

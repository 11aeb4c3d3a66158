package org.apache.spark.sql.muntin.expressions.common

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Literal

/**
 * A GROUPS frame, counted in groups of peers from the current row's group, which is 0; None is
 * UNBOUNDED.
 */
final case class GroupsFrame(lower: Option[Long], upper: Option[Long]) {

  /** Returns the bounds, as they follow GROUPS in SQL. */
  def bounds: String = {
    val first = bound(lower, "PRECEDING")
    val last = bound(upper, "FOLLOWING")
    s"BETWEEN $first AND $last"
  }

  def sql: String = s"GROUPS $bounds"

  private def bound(shift: Option[Long], side: String): String = shift match {
    case None => s"UNBOUNDED $side"
    case Some(0L) => "CURRENT ROW"
    case Some(groups) if groups < 0L => s"${-groups} PRECEDING"
    case Some(groups) => s"$groups FOLLOWING"
  }
}

object GroupsFrame {

  /** Parses the frame in `text`, with or without GROUPS before it. */
  def read(arguments: Arguments, text: String): GroupsFrame = {
    val words = text.trim.toUpperCase(Locale.ROOT).split("\\s+").toList
    val frame = (if (words.headOption.contains("GROUPS")) words.tail else words) match {
      case "BETWEEN" :: rest =>
        val (first, last) = rest.span(_ != "AND")
        for (lower <- bound(first, "PRECEDING"); upper <- bound(last.drop(1), "FOLLOWING"))
          yield GroupsFrame(lower, upper)
      case first => bound(first, "PRECEDING").map(GroupsFrame(_, Some(0L)))
    }
    frame.getOrElse {
      throw arguments.invalidValue(
        "groups",
        Literal(text),
        "a frame such as 'BETWEEN 2 PRECEDING AND CURRENT ROW'"
      )
    }
  }

  private def bound(words: List[String], unbounded: String): Option[Option[Long]] = words match {
    case List("UNBOUNDED", `unbounded`) => Some(None)
    case List("CURRENT", "ROW") => Some(Some(0L))
    case List(count, "PRECEDING") => number(count).map(n => Some(-n))
    case List(count, "FOLLOWING") => number(count).map(Some(_))
    case _ => None
  }

  private def number(text: String): Option[Long] =
    Try(text.toInt).toOption.filter(_ >= 0).map(_.toLong)
}

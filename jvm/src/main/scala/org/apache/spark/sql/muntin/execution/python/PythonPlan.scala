package org.apache.spark.sql.muntin.execution.python

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The information for `_worker.py`: the columns of the rows that are sent, and the arguments of
 * each function.
 */
final class PythonPlan(calls: Seq[PythonCall], start: Option[Expression], timeZone: String) {
  private val sent = mutable.ArrayBuffer.empty[Expression]

  private val functions: Seq[String] = calls.map { call =>
    val names = call.names.map(_.fold("null")(quoted))
    val own = call.lists match {
      case Some(lists) => Seq("list" -> place(lists).toString)
      case None =>
        val ends = call.ends.get
        Seq(
          "args" -> call.arguments.map(place).mkString("[", ", ", "]"),
          "first" -> place(ends.first).toString,
          "size" -> place(ends.size).toString
        ) ++ ends.lane.map(lane => "lane" -> place(lane).toString)
    }
    fields(
      Seq(
        "name" -> quoted(call.name),
        "pandas" -> call.isPandas.toString,
        "names" -> names.mkString("[", ", ", "]")
      ) ++ own
    )
  }

  private val startPlace = start.map(place)

  /** The columns of the rows that are sent. */
  val columns: Seq[Expression] = sent.toVector

  val text: String = fields(
    Seq(
      "functions" -> functions.mkString("[", ", ", "]"),
      "start" -> startPlace.fold("null")(_.toString),
      "zone" -> quoted(timeZone)
    )
  )

  private def place(expression: Expression): Int = {
    val existing = sent.indexWhere(_.semanticEquals(expression))
    if (existing >= 0) existing
    else {
      sent += expression
      sent.size - 1
    }
  }

  private def fields(of: Seq[(String, String)]): String =
    of.map { case (name, value) => s"${quoted(name)}: $value" }.mkString("{", ", ", "}")

  private def quoted(value: String): String = {
    val out = new StringBuilder
    out.append('"')
    value.foreach {
      case c if c < ' ' || c == '"' || c == '\\' || c > '~' => out.append(f"\\u${c.toInt}%04x")
      case c => out.append(c)
    }
    out.append('"').toString
  }
}

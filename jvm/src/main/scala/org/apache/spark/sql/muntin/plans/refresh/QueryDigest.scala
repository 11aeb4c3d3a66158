package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.mutable
import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.plans.logical._

/**
 * A digest of an analyzed query: equal for the same query in another session, and different for
 * another query. Names of views and the numbers of columns do not count:
 *
 *     Project [k#12, s#31]             Project [k#0, s#1]
 *     +- Window [sum(x#14) AS s#31]    Window [sum(x#2) AS s#1]
 */
private[refresh] object QueryDigest {
  def apply(query: LogicalPlan): String = {
    val lines = new mutable.ArrayBuffer[String]
    def walk(node: LogicalPlan, depth: Int): Unit = node match {
      case SubqueryAlias(_, child) => walk(child, depth)
      case view: View => walk(view.child, depth)
      case _ =>
        lines += s"$depth ${textOf(node)}"
        node.children.foreach(walk(_, depth + 1))
    }
    walk(query, 0)
    Digest(numbered(lines.mkString("\n")))
  }

  private def textOf(node: LogicalPlan): String = node match {
    case rows: LocalRelation if rows.data.nonEmpty =>
      s"${rows.simpleString(Int.MaxValue)} ${rows.toSQL("rows")}"
    case other => other.simpleString(Int.MaxValue)
  }

  private val Column = "#(\\d+)L?".r

  private def numbered(text: String): String = {
    val numbers = mutable.HashMap.empty[String, Int]
    Column.replaceAllIn(
      text,
      (found: Regex.Match) => s"#${numbers.getOrElseUpdate(found.group(1), numbers.size)}"
    )
  }
}

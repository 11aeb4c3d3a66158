package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.muntin.expressions.common.Unqualified
import org.apache.spark.sql.muntin.partials.MergePartial
import org.apache.spark.sql.types.DataType

/**
 * What the columns of partial aggregates by pane contain. Functions share columns, so the names of
 * the columns do not specify it:
 *
 *     functions           columns                          contents
 *     avg(x), count(x)    avg(x), avg(x)                   count of x, sum of x
 *     count(x), sum(x)    count(x), sum(x)                 count of x, sum of x
 */
private[streaming] final class PaneContents(job: GroupJob) {
  import PaneContents._

  private val columns: Map[Content, Seq[Attribute]] =
    job.functionTexts.zip(job.aggregates).flatMap { case (text, aggregate) =>
      aggregate.function match {
        case merging: MergePartial => parts(merging, text)
        case _ => Nil
      }
    }.toMap

  private def parts(merging: MergePartial, text: String): Seq[(Content, Seq[Attribute])] = {
    val inputs = merging.function.children.map(Unqualified.sql)
    val filter = text.indexOf(Filter) match {
      case -1 => ""
      case at => text.drop(at)
    }
    merging.layout.partialFields.zip(merging.partialFields).map { case (field, stored) =>
      val attributes = attributesOf(stored)
      // A whole partial is only of its function.
      val whole = if (attributes.exists(_ eq stored) || attributes.size > 1) "" else text
      Content(field.name, field.dataType, inputs, filter, whole) -> attributes
    }
  }

  /** Returns true if the column is of a partial aggregate. */
  def contains(column: Attribute): Boolean = of(column).isDefined

  private def of(column: Attribute): Option[(Content, Int)] = columns.iterator.flatMap {
    case (content, attributes) =>
      val place = attributes.indexWhere(_.exprId == column.exprId)
      Option.when(place >= 0)(content -> place)
  }.nextOption()

  /** Returns the column with the content of a column of other panes. */
  def like(other: PaneContents, column: Attribute): Option[Attribute] =
    other.of(column).flatMap { case (content, place) =>
      columns.get(content).flatMap(_.lift(place)).filter(_.dataType == column.dataType)
    }
}

private object PaneContents {
  private val Filter = " FILTER (WHERE "

  final case class Content(
      part: String,
      dataType: DataType,
      inputs: Seq[String],
      filter: String,
      whole: String
  )

  private def attributesOf(stored: Expression): Seq[Attribute] =
    stored.collect { case a: Attribute => a }
}

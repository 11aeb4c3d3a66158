package io.muntin

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.functions.{col, first, lit, struct}

/** The windows of `functions.windowBy`, before they are aggregated. */
final class WindowBy private[muntin] (
    source: Dataset[_],
    anchors: Dataset[_],
    time: Column,
    start: Column,
    end: Column,
    keys: Seq[(Column, Column)],
    closed: String,
    obsolete: Option[Column],
    order: Option[Column],
    ordered: Boolean
) {
  import WindowBy._

  /**
   * Returns the rows of `anchors`, with all their columns and the aggregates of the rows of
   * `source` in each anchor's window.
   *
   * {{{
   *   windowBy(flights, gusts, $"at", $"from", $"to").agg(count("*").as("n"), avg($"delay"))
   * }}}
   */
  @scala.annotation.varargs
  def agg(aggregate: Column, others: Column*): DataFrame = {
    val parts = Seq("start" -> start, "end" -> end) ++ obsolete.map("obsolete" -> _) ++
      order.map("order" -> _) ++
      keys.zipWithIndex.map { case ((_, ofAnchor), i) => s"key_$i" -> ofAnchor }
    val packed = anchors.select(
      struct(col("*")).as(Anchor) +: parts.map { case (name, column) => column.as(part(name)) }: _*
    )
    val equal = keys.zipWithIndex.map { case ((ofSource, _), i) =>
      col(part(s"key_$i")) === ofSource
    }
    val inside = Call(
      "window_by",
      col(Anchor),
      time,
      col(part("start")),
      col(part("end")),
      if (equal.isEmpty) lit(null) else struct(equal: _*),
      lit(closed),
      obsolete.fold(lit(null))(_ => col(part("obsolete"))),
      order.fold(lit(null))(_ => col(part("order"))),
      lit(ordered)
    )
    packed.join(source, inside, "left")
      .agg(first(Anchor).as(Anchor), aggregate +: others: _*)
      .select(s"$Anchor.*", "*")
      .drop(Anchor)
  }

  /** Restricts the windows to rows whose `ofSource` equals the anchor's `ofAnchor`. */
  def on(ofSource: Column, ofAnchor: Column): WindowBy =
    new WindowBy(
      source,
      anchors,
      time,
      start,
      end,
      keys :+ (ofSource -> ofAnchor),
      closed,
      obsolete,
      order,
      ordered
    )
}

private[muntin] object WindowBy {

  /** Returns the windows for these arguments of `functions.windowBy`. */
  def apply(
      source: Dataset[_],
      anchors: Dataset[_],
      time: Column,
      start: Column,
      end: Column,
      on: Seq[String],
      closed: String,
      obsolete: Column,
      order: Column,
      ordered: Boolean
  ): WindowBy =
    new WindowBy(
      source,
      anchors,
      time,
      start,
      end,
      on.map(name => col(name) -> col(name)),
      closed,
      present(obsolete),
      present(order),
      ordered
    )

  private def present(column: Column): Option[Column] =
    if (column eq Call.absent) None else Some(column)

  // Names that users' columns do not have.
  private val Anchor = part("anchor")

  private def part(name: String): String = s"__muntin_$name"
}

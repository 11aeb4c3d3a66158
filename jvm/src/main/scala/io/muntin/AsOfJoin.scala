package io.muntin

import java.util.Locale

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.functions.col

/** The join of `functions.asofJoin`. */
private[muntin] object AsOfJoin {
  def apply(
      left: Dataset[_],
      right: Dataset[_],
      on: String,
      by: Seq[String],
      asof: (Column, Column) => Column,
      how: String,
      suffix: String
  ): DataFrame = {
    val found = right.select(
      renamed(left, right, by, suffix).map { case (name, as) => column(name).as(as) } ++
        (column(on).as(part("time")) +:
          by.zipWithIndex.map { case (name, i) => column(name).as(part(s"key_$i")) }): _*
    )
    val isCurrent = asof(column(on), col(part("time")))
    val condition = by.zipWithIndex.foldLeft(isCurrent) { case (others, (name, i)) =>
      column(name) === col(part(s"key_$i")) && others
    }
    left.join(found, condition, how)
      .drop(part("time") +: by.indices.map(i => part(s"key_$i")): _*)
  }

  /** The columns of the right side that come out, and their names. */
  private def renamed(
      left: Dataset[_],
      right: Dataset[_],
      by: Seq[String],
      suffix: String
  ): Seq[(String, String)] = {
    val (ofLeft, keys) = (left.columns.map(lower).toSet, by.map(lower).toSet)
    val names = right.columns.toSeq.filterNot(name => keys(lower(name))).map { name =>
      name -> (if (ofLeft(lower(name))) name + suffix else name)
    }
    names.foreach { case (name, as) =>
      require(
        !ofLeft(lower(as)) && names.count(n => lower(n._2) == lower(as)) == 1,
        s"asofJoin: $name of right would be $as, which is there already; rename it, or say " +
          "another suffix"
      )
    }
    names
  }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)

  private def column(name: String): Column = col("`" + name.replace("`", "``") + "`")

  // No names of anybody's columns.
  private def part(name: String): String = s"__muntin_asof_$name"
}

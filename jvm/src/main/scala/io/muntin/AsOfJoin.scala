package io.muntin

import java.util.Locale

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.muntin.spark.MuntinIllegalArgumentException

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
      renamed(left, right, by, suffix, resolver(left)).map { case (name, as) =>
        column(name).as(as)
      } ++
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

  /** Returns the columns of the right side, each with its name in the result. */
  private def renamed(
      left: Dataset[_],
      right: Dataset[_],
      by: Seq[String],
      suffix: String,
      resolved: String => String
  ): Seq[(String, String)] = {
    val (ofLeft, keys) = (left.columns.map(resolved).toSet, by.map(resolved).toSet)
    val names = right.columns.toSeq.filterNot(name => keys(resolved(name))).map { name =>
      name -> (if (ofLeft(resolved(name))) name + suffix else name)
    }
    names.foreach { case (name, as) =>
      if (ofLeft(resolved(as)) || names.count(n => resolved(n._2) == resolved(as)) != 1) {
        throw new MuntinIllegalArgumentException(
          "MUNTIN_DUPLICATE_COLUMN_AFTER_JOIN",
          "column" -> name,
          "renamed" -> as
        )
      }
    }
    names
  }

  /** Returns how Spark compares column names in the session. */
  private def resolver(rows: Dataset[_]): String => String =
    if (rows.sparkSession.conf.get("spark.sql.caseSensitive").toBoolean) identity
    else _.toLowerCase(Locale.ROOT)

  private def column(name: String): Column = col("`" + name.replace("`", "``") + "`")

  // Names that users' columns do not have.
  private def part(name: String): String = s"__muntin_asof_$name"
}

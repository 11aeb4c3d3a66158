package org.apache.spark.sql.muntin

import org.apache.spark.sql.{DataFrame, Row}

/** The rows of a query in the format of `show`, their columns separated by tabs. */
object Shown {
  def apply(frame: DataFrame): Seq[String] =
    frame.collect().toSeq.map(_.toSeq.map(cell).mkString("\t"))

  private def cell(value: Any): String = value match {
    case null => "NULL"
    case row: Row => row.toSeq.map(cell).mkString("{", ", ", "}")
    case list: scala.collection.Seq[_] => list.map(cell).mkString("[", ", ", "]")
    case other => other.toString
  }
}

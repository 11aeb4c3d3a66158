package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.Dataset

/** Temporary views, each under a unique name. */
object TemporaryViews {

  /** Runs `body` with the names of views of these rows. */
  def apply[T](rows: Dataset[_]*)(body: Seq[String] => T): T = {
    val views = rows.map(_ -> name())
    views.foreach { case (each, view) => each.createOrReplaceTempView(view) }
    try body(views.map(_._2))
    finally views.foreach { case (each, view) =>
        each.sparkSession.catalog.dropTempView(view): Unit
      }
  }

  def name(): String = s"muntin_${UUID.randomUUID.toString.replace("-", "")}"
}

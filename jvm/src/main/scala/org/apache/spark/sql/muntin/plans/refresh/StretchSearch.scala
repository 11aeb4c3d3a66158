package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.muntin.spark.{BatchQuery, TemporaryViews}
import org.apache.spark.sql.types._

/**
 * Finds the stretches of all changed keys (`StretchesOfKey`), in a job over the changed rows. If
 * windows count rows or are sessions, it also reads the places of the changed keys' rows: first the
 * rows shortly before the first change, and then, for keys with too few rows, earlier ones.
 *
 * @param changed
 *   the changed rows, with the columns of `locality.rows`
 */
private[refresh] final class StretchSearch(
    session: SparkSession,
    locality: KeyLocality,
    changed: LogicalPlan,
    footers: Footers
) {
  private val names = locality.keyNames
  private val keys = names.mkString(", ")
  // All rows, and the rows that a reach counts.
  private val conditions = {
    val read = locality.effectiveReaches.filter(_.readsRows)
    if (read.isEmpty) Nil else (Literal.TrueLiteral +: read.flatMap(_.conditions)).distinct
  }
  private val cached = new CachedFrames

  /** Returns the stretches: the keys, `lo`, `hi`, `read_lo`, `read_hi` and `is_first`. */
  def run(): DataFrame = {
    val found =
      if (conditions.isEmpty) stretchesOf(points, isCut = false)
      else {
        try ofTimes()
        catch {
          case e: Throwable =>
            release()
            throw e
        }
      }
    found.selectExpr(names :+ "posexplode(stretches) AS (n, s)": _*)
      .selectExpr(names ++ Seq("s.*", "n = 0 AS is_first"): _*)
  }

  /** Returns for each key the places of its changed rows, as an array `points`. */
  private def points: DataFrame = TemporaryViews(placesOf(changed)) { views =>
    session.sql(
      s"""SELECT $keys, collect_list(coalesce(x, DOUBLE('NaN'))) AS points
         |FROM ${views.head} GROUP BY $keys""".stripMargin
    )
  }

  /** Returns the keys, the place of each row as `x`, and `counted` conditions as `c0`, `c1`, …. */
  private def placesOf(rows: LogicalPlan, counted: Seq[Expression] = Nil): DataFrame = {
    val named = locality.keys.map(_._1).zip(names).map { case (k, name) => Alias(k, name)() }
    val place = locality.axis.fold[Expression](Literal(null, DoubleType)) { case (t, a) =>
      a.place(t)
    }
    val columns = counted.zipWithIndex.map { case (condition, i) => Alias(condition, s"c$i")() }
    BatchQuery(session, Project((named :+ Alias(place, "x")()) ++ columns, rows))
  }

  /** Returns the keys and their stretches; the stretches are null if there are too few places. */
  private def stretchesOf(points: DataFrame, isCut: Boolean): DataFrame = {
    val plan = BatchQuery.plan(points)
    def column(name: String) = plan.output.find(_.name == name).get
    val stretches = FindStretches(
      column("points"),
      conditions.indices.map(i => column(s"places$i")),
      conditions,
      locality.effectiveReaches,
      isCut
    )
    val columns = (names :+ "points").map(column)
    BatchQuery(session, Project(columns :+ Alias(stretches, "stretches")(), plan))
  }

  private def ofTimes(): DataFrame = {
    def search(pending: DataFrame, starts: Seq[Option[Double]]): Seq[DataFrame] = {
      val found = cached.add(stretchesOf(withPlaces(pending, starts.head), starts.head.isDefined))
      val complete = found.where("stretches IS NOT NULL")
      val others = found.where("stretches IS NULL").drop("stretches")
      if (starts.size == 1 || others.isEmpty) Seq(complete)
      else complete +: search(others, starts.tail)
    }
    val all = cached.add(points)
    search(all, starts(all)).reduce(_ union _)
  }

  /** Returns from which places on times are read, one after the other; None reads all times. */
  private def starts(points: DataFrame): Seq[Option[Double]] = {
    def least(rows: DataFrame, column: String) = {
      val row = rows.selectExpr(s"min($column)").head()
      if (row.isNullAt(0)) None else Some(row.getDouble(0))
    }
    val first = locality.time.flatMap { case (time, _) => footers.first(locality.rows, time) }
      .orElse(least(placesOf(locality.rows), "x"))
    RecentFirst.starts(first, least(points, "array_min(points)"))
  }

  /** Adds the places of the keys' rows as arrays `places0`, `places1`, …, from a place on. */
  private def withPlaces(points: DataFrame, start: Option[Double]): DataFrame = {
    val isLater = for {
      place <- start.toSeq
      (time, axis) <- locality.axis.toSeq
      condition <- axis.between(time, place, None)
    } yield condition
    val rows = isLater.foldLeft(locality.rows)((rows, condition) => Filter(condition, rows))
    val sameKey = names.map(k => s"r.$k <=> p.$k").mkString(" AND ")
    val place = "coalesce(nanvl(x, DOUBLE('Infinity')), DOUBLE('-Infinity'))"
    val places = conditions.indices.map(i => s"places$i")
    val lists =
      places.zipWithIndex.map { case (name, i) =>
        s"collect_list($place) FILTER (WHERE c$i) AS $name"
      }
    TemporaryViews(placesOf(rows, conditions), points) { views =>
      session.sql(
        s"""SELECT p.*, ${places.map(c => s"r.$c").mkString(", ")} FROM ${views(1)} AS p LEFT JOIN (
           |  SELECT $keys, ${lists.mkString(", ")}
           |  FROM ${views.head} AS r LEFT SEMI JOIN ${views(1)} AS p ON $sameKey GROUP BY $keys
           |) AS r ON $sameKey""".stripMargin
      )
    }
  }

  /** Drops what the search keeps in memory. */
  def release(): Unit = cached.release()
}

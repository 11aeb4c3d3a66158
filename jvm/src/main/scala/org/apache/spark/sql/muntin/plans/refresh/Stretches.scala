package org.apache.spark.sql.muntin.plans.refresh

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{JoinType, LeftAnti, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.muntin.spark.{BatchQuery, JoinOn}
import org.apache.spark.sql.types._

/**
 * The affected stretches of each key: the results from `lo` to `hi`, on the axis of the time. The
 * stretches of a key do not overlap.
 *
 *     changed rows of k at 100, 103 and 900, RANGE 7 PRECEDING
 *     results      k  100 … 110,   k  900 … 907
 *     rows         k   93 … 110,   k  893 … 907
 *
 * A key whose time is null or NaN in a changed row is affected as a whole.
 */
private[refresh] final class Stretches(
    session: SparkSession,
    locality: KeyLocality,
    changed: LogicalPlan,
    footers: Footers
) {
  import Stretches._

  private val axis = locality.axis.map(_._2)
  private val search = new StretchSearch(session, locality, changed, footers)

  private val all: DataFrame = search.run()

  /** The stretches, if they are few; then Spark broadcasts them without a job. */
  private val few: Option[Seq[Row]] = {
    val collected = all.persist().take(Few + 1)
    if (collected.length > Few) None
    else {
      release()
      Some(collected.toSeq)
    }
  }

  /** The stretches: the columns `k0`, `k1`, …, `lo`, `hi`, `read_lo`, `read_hi` and `is_first`. */
  val frame: DataFrame = few.fold(all)(rows => session.createDataFrame(rows.asJava, all.schema))

  /**
   * The SQL condition that a row of results, with columns of `row`, is in a stretch of `all`. Its
   * part without `all` selects files by their statistics.
   */
  def condition(row: String, all: String): String = {
    def column(of: Attribute) = UnresolvedAttribute(Seq(row, of.name))
    val by = locality.keys.map(k => column(k._2))
    val time = locality.time.map(t => column(t._2))
    val there = isIn(by, time, name => UnresolvedAttribute(Seq(all, name)), "lo", "hi")
    and(there +: bounds(by, time, "lo", "hi")).get.sql
  }

  /**
   * The stretches for users: the names and values of the keys, and the first and the last affected
   * time, as text; null if all times up to it, or from it on, are affected.
   */
  def shown: DataFrame = {
    val plan = BatchQuery.plan(frame)
    def column(name: String) = plan.output.find(_.name == name).get
    def text(value: Expression) = Cast(value, StringType)
    val keys = locality.keys.zip(locality.keyNames).flatMap { case ((_, shown), k) =>
      Seq(Literal(shown.name), text(column(k)))
    }
    val times = Seq("lo" -> "first", "hi" -> "last").map { case (place, name) =>
      Alias(
        axis.fold[Expression](Literal(null, StringType))(a => text(a.time(column(place)))),
        name
      )()
    }
    BatchQuery(session, Project(Alias(CreateMap(keys), "keys")() +: times, plan))
  }

  /** Totals of the stretches, without a job if they are few. */
  private lazy val totals: Totals = few match {
    case Some(rows) =>
      def places(column: String) = rows.map(_.getAs[Double](column))
      Totals(
        rows.size.toLong,
        rows.count(_.getAs[Boolean]("is_first")).toLong,
        Seq("lo", "read_lo").map(c => c -> places(c).reduceOption(_ min _)).toMap ++
          Seq("hi", "read_hi").map(c => c -> places(c).reduceOption(_ max _)).toMap
      )
    case None =>
      val row = frame.selectExpr(
        "count(*)",
        "count_if(is_first)",
        "min(lo)",
        "min(read_lo)",
        "max(hi)",
        "max(read_hi)"
      ).head()
      val places = Seq("lo", "read_lo", "hi", "read_hi").zipWithIndex
      Totals(
        row.getLong(0),
        row.getLong(1),
        places.map { case (column, i) => column -> Some(row.getDouble(i + 2)) }.toMap
      )
  }

  def count: Long = totals.stretches

  def countKeys: Long = totals.keys

  def release(): Unit = {
    all.unpersist(): Unit
    search.release()
  }

  /** Returns the rows from which the affected results are computed. */
  def read(rows: LogicalPlan): LogicalPlan = among(
    rows,
    locality.keys.map(_._1),
    locality.time.map(_._1),
    "read_lo",
    "read_hi",
    LeftSemi
  )

  /** The place of the first row that is read. */
  def firstRead: Option[Double] = totals.extremes("read_lo")

  /**
   * Returns the results of the keys before the rows that are read.
   *
   * @param from
   *   the place from which on results are returned
   * @param found
   *   a table of keys whose results are not returned
   */
  def before(
      results: LogicalPlan,
      from: Option[Double],
      found: Option[LogicalPlan]
  ): LogicalPlan = {
    def column(of: Attribute) = results.output.find(_.name == of.name).get
    val every = table
    val all = found.fold[LogicalPlan](every) { others =>
      val sameKey = locality.keyNames.map { k =>
        EqualNullSafe(every.output.find(_.name == k).get, others.output.find(_.name == k).get)
      }
      JoinOn(every, others, LeftAnti, and(sameKey).get)
    }
    val isRecent = for {
      start <- from.toSeq
      axis <- axis.toSeq
      (_, time) <- locality.time.toSeq
      condition <- axis.between(column(time), start, None)
    } yield condition
    def place(name: String) = all.output.find(_.name == name).get
    val read = place("read_lo")
    val sameKey = isSameKey(locality.keys.map(k => column(k._2)), place)
    // Null times are the first.
    val isBefore = for (axis <- axis; (_, time) <- locality.time) yield {
      val at = axis.place(column(time))
      And(
        GreaterThan(read, Literal(Double.NegativeInfinity)),
        Or(LessThan(at, read), IsNull(at))
      )
    }
    val recent = and(isRecent).fold(results)(Filter(_, results))
    JoinOn(recent, all, LeftSemi, and(sameKey ++ isBefore).get)
  }

  /** Returns the rows of another table with the keys of the stretches. */
  def readOther(rows: LogicalPlan, columns: KeyLocality.Columns): LogicalPlan = {
    val by = locality.keys.map { case (key, _) => columns.find(_._1.exprId == key.exprId).get._2 }
    among(rows, by, None, "lo", "hi", LeftSemi)
  }

  /**
   * Returns the affected rows among the results of the query, or of an earlier query with the same
   * columns.
   */
  def affected(results: LogicalPlan): LogicalPlan = ofResults(results, LeftSemi)

  /** Returns the other rows. */
  def unaffected(results: LogicalPlan): LogicalPlan = ofResults(results, LeftAnti)

  private def ofResults(results: LogicalPlan, joined: JoinType): LogicalPlan = {
    def column(of: Attribute) = results.output.find(_.name == of.name).get
    among(
      results,
      locality.keys.map(k => column(k._2)),
      locality.time.map(t => column(t._2)),
      "lo",
      "hi",
      joined
    )
  }

  /** Returns conditions that each row in a stretch satisfies, for the statistics of files. */
  private def bounds(
      by: Seq[Expression],
      time: Option[Expression],
      from: String,
      until: String
  ): Seq[Expression] = ofKeys(by) ++ ofTime(time, from, until)

  private def ofTime(time: Option[Expression], from: String, until: String): Seq[Expression] = {
    val lo = totals.extremes(from).filterNot(_.isInfinite)
    val hi = totals.extremes(until).filterNot(_.isInfinite)
    (for (axis <- axis; t <- time; least <- lo) yield axis.between(t, least, hi))
      .getOrElse(Nil)
  }

  private def ofKeys(by: Seq[Expression]): Seq[Expression] = for {
    rows <- few.toSeq
    (key, i) <- by.zipWithIndex
    dataType = frame.schema(i).dataType
    if isListed(dataType)
    values = rows.map(_.get(i)).distinct
    if values.size <= MostListed && !values.contains(null)
  } yield In(key, values.map(Literal.create(_, dataType)))

  // Equal values of these types are equal in a file's statistics.
  private def isListed(dataType: DataType): Boolean = dataType match {
    case _: IntegralType | StringType | DateType | TimestampType => true
    case _ => false
  }

  private def among(
      rows: LogicalPlan,
      by: Seq[Attribute],
      time: Option[Attribute],
      from: String,
      until: String,
      joined: JoinType
  ): LogicalPlan = {
    val stretches = table
    def column(name: String) = stretches.output.find(_.name == name).get
    val selected = joined match {
      case LeftSemi => and(bounds(by, time, from, until)).fold(rows)(Filter(_, rows))
      case _ => rows
    }
    JoinOn(selected, stretches, joined, isIn(by, time, column, from, until))
  }

  /** The stretches, with attributes of their own in each use. */
  private def table: LogicalPlan = {
    val made = BatchQuery.plan(frame)
    Project(made.output.map(a => Alias(a, a.name)()), made)
  }

  private def isSameKey(by: Seq[Expression], stretch: String => Expression): Seq[Expression] =
    by.zip(locality.keyNames).map { case (key, k) => EqualNullSafe(key, stretch(k)) }

  /** Returns the condition that a key and a time are in a stretch with these columns. */
  private def isIn(
      by: Seq[Expression],
      time: Option[Expression],
      stretch: String => Expression,
      from: String,
      until: String
  ): Expression = {
    val sameKey = isSameKey(by, stretch)
    val (lo, hi) = (stretch(from), stretch(until))
    val inTime = axis.zip(time).map { case (axis, t) =>
      val place = axis.place(t)
      And(
        Or(EqualTo(lo, Literal(Double.NegativeInfinity)), GreaterThanOrEqual(place, lo)),
        // Null times are the first.
        Or(
          EqualTo(hi, Literal(Double.PositiveInfinity)),
          Or(LessThanOrEqual(place, hi), IsNull(place))
        )
      )
    }
    and(sameKey ++ inTime).get
  }
}

private[refresh] object Stretches {

  /** At most as many stretches are collected. */
  private val Few = 10000

  /** At most as many keys are compared with the statistics of files. */
  private val MostListed = 100

  /** The least `lo` and `read_lo`, and the greatest `hi` and `read_hi`; None without stretches. */
  private final case class Totals(
      stretches: Long,
      keys: Long,
      extremes: Map[String, Option[Double]]
  )

  def and(conditions: Seq[Expression]): Option[Expression] = conditions.reduceOption(And)
}

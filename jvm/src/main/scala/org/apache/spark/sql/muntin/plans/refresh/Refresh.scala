package org.apache.spark.sql.muntin.plans.refresh

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.plans.asof.PlaceAsOfJoins
import org.apache.spark.sql.muntin.plans.logical.InlinedCtes
import org.apache.spark.sql.muntin.spark.{BatchQuery, MuntinAnalysisException}

/**
 * Computes the results again that changed rows of a source affect, and replaces them in a table:
 *
 *     changes      from the caller, or from the table that has changed since the position that the
 *                  target stores (TrackedTables, ChangeFeed)
 *     changed      -> changed rows below the windows   -> stretches of results (Stretches)
 *     query        -> over the rows of the stretches   -> results of the stretches
 *     target       -> without the stretches, and with these results and the new position
 *
 * All results are computed and replaced if the target does not store a position, or if this costs
 * less (RefreshEstimate).
 */
final class Refresh(
    session: SparkSession,
    query: LogicalPlan,
    changes: Option[LogicalPlan],
    request: RefreshRequest
) {
  import Refresh._
  import RefreshChange._

  private val inlined = PlaceAsOfJoins.AtRoot(InlinedCtes(query))
  private val digest = QueryDigest(inlined)
  private val footers = new Footers(session)
  private lazy val tracked = TrackedTables.of(session, inlined, footers)
  private lazy val target = {
    val opened = RefreshTarget.of(session, request.target, inlined.output)
    checkOwnTable(opened)
    opened
  }

  private lazy val targetRows = footers.in(target.rows)

  def run(): Summary = found match {
    case Everything(cause) => whole(cause)
    case Nothing => Summary(Some(0L), Some(0L), Some(0L), 0L, 0L, isWhole = false, None)
    case some: Rows => changed(some)
  }

  /** Returns the keys, the first and the last time of each affected stretch of results. */
  def affected(): Seq[InternalRow] = found match {
    case Everything(_) => throw error("MUNTIN_REFRESH_WITHOUT_POSITION", Nil)
    case Nothing => Nil
    case some: Rows =>
      stretches(some, some.rows) { stretches =>
        stretches.shown.queryExecution.toRdd.map(_.copy()).collect().toSeq
      }
  }

  /** Returns what has changed. */
  private def found: RefreshChange = {
    checkDeterministic()
    (request.isWhole, changes) match {
      case (Some(true), _) => Everything("requested")
      case (_, Some(rows)) =>
        val opened = footers.in(inlined)
        val source = new RefreshSource(opened, error(_, _)).of(request.source, rows)
        rowsOf(opened, source, footers.in(rows), None)(kept)
      case (_, None) => sinceStored()
    }
  }

  /** The stored position, which changes of the caller do not move. */
  private def kept: Option[RefreshPosition] = target.stored match {
    case StoredPosition.Fresh(position) if position.query == digest => Some(position)
    case _ => None
  }

  /** Returns the changes since the stored position. */
  private def sinceStored(): RefreshChange = {
    tracked.untracked.headOption.foreach { table =>
      throw error(
        "MUNTIN_REFRESH_WITHOUT_FEED",
        Seq("table" -> RefreshSource.nameOf(table).getOrElse(table.nodeName))
      )
    }
    target.stored match {
      case StoredPosition.Overwritten => throw error("MUNTIN_REFRESH_TARGET_OVERWRITTEN", Nil)
      case StoredPosition.Unknown if request.isWhole.contains(false) =>
        throw error("MUNTIN_REFRESH_WITHOUT_POSITION", Nil)
      case StoredPosition.Unknown =>
        checkLocal()
        Everything("no stored position")
      case StoredPosition.Fresh(position) => since(position)
    }
  }

  /** Checks that later refreshes are possible, at least after changes of one table. */
  private def checkLocal(): Unit = {
    val localities = tracked.feeds.map { case (source, _) =>
      Try(KeyLocality.of(tracked.query, source)(error(_, _)))
    }
    if (localities.forall(_.isFailure)) localities.foreach(_.get)
  }

  private def since(stored: RefreshPosition): RefreshChange = {
    val now = tracked.position(digest)
    val isSameQuery = stored.query == digest &&
      now.exists(_.sources.keySet == stored.sources.keySet)
    if (!isSameQuery) throw error("MUNTIN_REFRESH_OF_OTHER_QUERY", Nil)
    val moved = tracked.feeds.filter { case (_, feed) =>
      stored.sources(feed.table) != feed.position
    }
    moved match {
      case Seq() => Nothing
      case Seq((source, _)) if !tracked.query.exists(_ eq source) =>
        throw error("MUNTIN_REFRESH_OF_WHOLE_TABLE", Seq("operator" -> "subquery"))
      case Seq((source, feed)) =>
        val rows = reading(feed) {
          feed.changesSince(stored.sources(feed.table)).map(BatchQuery.plan)
        }
        rows match {
          case Some(known) => rowsOf(tracked.query, source, known, Some(feed))(now)
          case None => throw unreadable(feed, "rows were overwritten or deleted", None)
        }
      case several =>
        val names = several.map { case (_, feed) => s"`${feed.table}`" }
        throw error(
          "MUNTIN_REFRESH_OF_SEVERAL_TABLES",
          Seq("tables" -> names.distinct.mkString(", "))
        )
    }
  }

  private def reading[T](feed: ChangeFeed)(body: => T): T =
    try body
    catch {
      case e: MuntinAnalysisException => throw e
      case NonFatal(e) => throw unreadable(feed, e.toString, Some(e))
    }

  private def unreadable(feed: ChangeFeed, found: String, cause: Option[Throwable]) = {
    val made = error(
      "MUNTIN_REFRESH_UNREADABLE_CHANGES",
      Seq("table" -> feed.table, "error" -> found.linesIterator.toSeq.headOption.getOrElse(""))
    )
    cause.foreach(made.addSuppressed(_))
    made
  }

  /** Refreshes the table after changes of a source. */
  private def changed(change: Rows): Summary = {
    import change.{locality, source}
    val all = footers.count(source)
    def isWholeBySample = {
      val sample =
        new RefreshSample(session, locality, change.rows, target, targetRows, footers)
      sample.isUseful(source) && stretches(change, sample.ofSomeKeys) { stretches =>
        val some = footers.someFiles(source)
        val part = footers.rowsOf(some).fold(1.0)(_.toDouble / all)
        val rows = replaced(locality.rows, source, some)
        sample.estimate(stretches, all, rows, part).isWholeCheaper
      }
    }
    def isWhole(decided: => Boolean) = request.isWhole.isEmpty && decided
    if (isWhole(RefreshEstimate.isSmall(all) || isWholeBySample)) whole(Estimate)
    else {
      stretches(change, change.rows) { stretches =>
        if (isWhole(RefreshEstimate.isLarge(all, stretches.count))) whole(Estimate)
        else counted(change, stretches, all)
      }
    }
  }

  private def counted(change: Rows, stretches: Stretches, all: Long): Summary = {
    import change.{locality, plan, position}
    val former = BatchQuery(session, stretches.affected(targetRows))
    val read = stretches.read(locality.rows)
    val counts = target.count(former, BatchQuery(session, read))
    val (deleted, readRows) = (counts(0), counts(1))
    val estimate =
      RefreshEstimate(all, readRows.rows, target.rewritten(deleted), stretches.count)
    if (request.isWhole.isEmpty && estimate.isWholeCheaper) whole(Estimate)
    else {
      val restricted = (locality.rows -> read) +: locality.others.map { case (rows, columns) =>
        rows -> stretches.readOther(rows, columns)
      }
      val affected = restricted.foldLeft(plan) { case (plan, (rows, by)) =>
        replaced(plan, rows, by)
      }
      val totals = new RunningResults(session, locality, stretches, targetRows, footers)
      val inserted =
        try part(totals.continued(affected), stretches, deleted, position)
        finally totals.release()
      Summary(
        Some(stretches.countKeys),
        Some(stretches.count),
        Some(readRows.rows),
        deleted.rows,
        inserted,
        isWhole = false,
        locality.cause
      )
    }
  }

  /** Replaces the affected results, and returns how many take their place. */
  private def part(
      affected: LogicalPlan,
      stretches: Stretches,
      deleted: PartitionCounts,
      position: Option[RefreshPosition]
  ): Long = {
    val results = BatchQuery(session, stretches.affected(affected)).persist()
    try {
      val inserted = target.count(results).head
      if (!request.isDryRun) {
        // Each task writes a file for each partition.
        val tasks = 1 + inserted.rows / RowsOfTask
        target.replace(
          stretches,
          results.coalesce(tasks.toInt),
          deleted,
          inserted,
          position
        )
      }
      inserted.rows
    } finally results.unpersist(): Unit
  }

  private def whole(cause: String): Summary = {
    val results = BatchQuery(session, tracked.query)
    val deleted = footers.count(targetRows)
    if (!request.isDryRun) target.replaceAll(results, tracked.position(digest))
    val inserted =
      if (request.isDryRun) results.count()
      else footers.count(footers.in(BatchQuery.plan(session.table(request.target))))
    Summary(None, None, None, deleted, inserted, isWhole = true, Some(cause))
  }

  private def replaced(plan: LogicalPlan, part: LogicalPlan, by: LogicalPlan): LogicalPlan =
    if (plan eq part) by else plan.mapChildren(replaced(_, part, by))

  private def rowsOf(
      plan: LogicalPlan,
      source: LogicalPlan,
      rows: LogicalPlan,
      feed: Option[ChangeFeed]
  )(position: => Option[RefreshPosition]): Rows = {
    val locality = KeyLocality.of(plan, source)(error(_, _))
    val stored = position
    val ofSource = new RefreshSource(plan, error(_, _)).rowsOf(source, rows)
    Rows(plan, source, locality, replaced(locality.rows, source, ofSource), feed, stored)
  }

  /** Computes `body` over the stretches that `rows`, all or some of the changed rows, affect. */
  private def stretches[T](change: Rows, rows: LogicalPlan)(body: Stretches => T): T = {
    def made = new Stretches(session, change.locality, rows, footers)
    val stretches = change.feed.fold(made)(reading(_)(made))
    try body(stretches)
    finally stretches.release()
  }

  private def checkDeterministic(): Unit = inlined.foreachUp { node =>
    node.expressions.flatMap(_.find(differs(_))).headOption.foreach { expression =>
      throw error("MUNTIN_REFRESH_NOT_DETERMINISTIC", Seq("expression" -> expression.sql))
    }
  }

  /** Returns true if the expression itself has another value in each run. */
  private def differs(expression: Expression): Boolean = expression match {
    case _: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp => true
    case other => !other.deterministic && other.children.forall(_.deterministic)
  }

  /** A query over the target would read results that the refresh replaces. */
  private def checkOwnTable(opened: RefreshTarget): Unit = {
    def tables(plan: LogicalPlan) =
      plan.collectWithSubqueries { case leaf: LeafNode => leaf }
        .flatMap(ChangeFeed.of(session, _)).map(_.table).toSet
    val own = tables(opened.rows)
    def isIn(table: String) = own.exists(o => table == o || table.startsWith(s"$o/"))
    if (tables(inlined).exists(isIn)) throw error("MUNTIN_REFRESH_OF_OWN_TARGET", Nil)
  }

  private def error(condition: String, parameters: Seq[(String, String)]): AnalysisException =
    new MuntinAnalysisException(condition, ("target" -> request.target) +: parameters: _*)
}

object Refresh {

  private val Estimate = "estimate"

  /** As many results are written by one task. */
  private val RowsOfTask = 1000000L

  /**
   * What a refresh replaces.
   *
   * @param keys
   *   the number of affected keys; None if all results are computed
   * @param stretches
   *   the number of stretches of their time; None if all results are computed
   * @param read
   *   the number of rows that are read; None if all results are computed
   * @param deleted
   *   the number of former results
   * @param inserted
   *   the number of results that take their place
   * @param cause
   *   why all results are computed; or the window for which the results of keys are computed
   *   from a row to the end, or as a whole
   */
  final case class Summary(
      keys: Option[Long],
      stretches: Option[Long],
      read: Option[Long],
      deleted: Long,
      inserted: Long,
      isWhole: Boolean,
      cause: Option[String]
  )
}

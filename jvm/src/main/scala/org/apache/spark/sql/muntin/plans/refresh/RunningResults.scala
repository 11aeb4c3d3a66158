package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.muntin.spark.{AggregateCall, BatchQuery, GroupBy, JoinOn}

/**
 * Continues the running totals of a query from the table of its results, so that a refresh does not
 * read all former rows of a key.
 *
 *     SELECT k, t, count(*) OVER (PARTITION BY k ORDER BY t) AS n
 *     table of results     k 10 1,   k 20 2,   k 30 3
 *     changed at 25        rows of k from 25 on are read: 25, 30
 *     last result          k 2       the greatest n before 25
 *     results              k 25 2+1, k 30 2+2
 */
private[refresh] final class RunningResults(
    session: SparkSession,
    locality: KeyLocality,
    stretches: Stretches,
    targetRows: LogicalPlan,
    footers: Footers
) {
  private val named = locality.running.zipWithIndex.map { case (r, i) => r -> s"r$i" }

  private val cached = new CachedFrames

  /** Returns the query over the read rows, with running totals that continue. */
  def continued(query: LogicalPlan): LogicalPlan =
    if (named.isEmpty) query
    else {
      val last = BatchQuery.plan(lastResults)
      query.transformUp {
        case window: Window if runningIn(window).nonEmpty => continued(window, last)
      }
    }

  /** Drops the last results, which are kept in memory. */
  def release(): Unit = cached.release()

  private def runningIn(window: Window): Seq[(RunningResult, String)] =
    named.filter { case (r, _) => window.windowExpressions.exists(_.exprId == r.window) }

  /** Returns the last results of each key before its read rows: the keys, and `r0`, `r1`, …. */
  private def lastResults: DataFrame = {
    def search(starts: Seq[Option[Double]], found: Option[DataFrame]): DataFrame = {
      val next = cached.add(lastResults(starts.head, found.map(BatchQuery.plan)))
      val all = found.fold(next)(_.union(next))
      if (starts.size == 1 || all.count() == stretches.countKeys) all
      else search(starts.tail, Some(all))
    }
    val first = locality.time.flatMap { case (_, time) =>
      footers.first(targetRows, targetRows.output.find(_.name == time.name).get)
    }
    search(RecentFirst.starts(first, stretches.firstRead), None)
  }

  private def lastResults(from: Option[Double], found: Option[LogicalPlan]): DataFrame = {
    def column(of: Attribute) = targetRows.output.find(_.name == of.name).get
    val keys = locality.keys.map(k => column(k._2))
    val last = named.map { case (running, name) =>
      val function = running.function.last(column(running.shown), running.order.map(column))
      Alias(AggregateCall(function, isDistinct = false, None), name)()
    }
    val columns = keys.zip(locality.keyNames).map { case (key, name) => Alias(key, name)() } ++ last
    BatchQuery(session, GroupBy(keys, columns, stretches.before(targetRows, from, found)))
  }

  private def continued(window: Window, last: LogicalPlan): LogicalPlan = {
    // Each use of the last results has attributes of its own.
    val former = Project(last.output.map(a => Alias(a, a.name)()), last)
    def column(name: String) = former.output.find(_.name == name).get
    val running = runningIn(window)
    val (functions, results) = window.windowExpressions.map { e =>
      running.find(_._1.window == e.exprId) match {
        case Some((r, name)) =>
          val ofRows = Alias(e.asInstanceOf[Alias].child, e.name)()
          val next = r.function.next(Cast(column(name), e.dataType), ofRows.toAttribute)
          val result = Cast(Coalesce(Seq(next, ofRows.toAttribute)), e.dataType)
          (ofRows, Alias(result, e.name)(exprId = e.exprId))
        case None => (e, e.toAttribute)
      }
    }.unzip
    val sameKey = running.head._1.keys.zip(locality.keyNames).map { case (key, name) =>
      EqualNullSafe(key, column(name))
    }
    val joined = JoinOn(
      window.copy(windowExpressions = functions),
      former,
      LeftOuter,
      Stretches.and(sameKey).get
    )
    Project(window.child.output ++ results, joined)
  }
}

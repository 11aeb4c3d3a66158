package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.muntin.plans.logical.StreamWindows

/** Random queries that real-time mode runs, and random rows for them. */
trait RandomRealTimeSession extends RealTimeSession {
  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.ansi.enabled" -> "false")

  /**
   * Returns the query with its windows that look back and run in one operator, and with `more`
   * columns; None if the query has no such windows.
   */
  protected final def inRealTime(made: RandomStreamQuery, more: String*): Option[String] = {
    val rows = new RealTimeSource(RandomStreamQuery.schema, _ => 0).rows
    val parts = made.sql.stripSuffix("\nFROM t").split(",\n  ").toSeq
    val (head, first) = parts.head.splitAt(parts.head.indexOf(", t, ") + 5)
    def query(items: Seq[String]) = s"$head${items.mkString(",\n  ")}\nFROM t"
    def looksBack(items: Seq[String]): Boolean =
      try {
        val plan = asked(query(items))(rows).queryExecution.analyzed
        val windows = plan.collect { case w: StreamWindows => w }
        windows.size == 1 && windows.head.job.waitingFunction.isEmpty
      } catch { case _: AnalysisException => false }
    val items = (first +: parts.tail).filter(item => looksBack(Seq(item)))
    Option.when(items.nonEmpty && looksBack(items ++ more))(query(items ++ more))
  }

  /**
   * Returns rows for a query, in an order in which each row follows its peers; None if peers are
   * equal.
   */
  protected final def inOrder(
      made: RandomStreamQuery,
      count: Int,
      random: Random
  ): Option[Seq[Row]] = {
    val rows = made.rows(count).sortBy(r => (r.getTimestamp(2).getTime, r.getInt(0)))
    val hasPeers = rows.map(_.getTimestamp(2)).distinct.size < rows.size
    Option.when(!hasPeers || made.sql.contains("ORDER BY t, id")) {
      if (!made.sql.contains("PARTITION BY k")) rows else mixed(rows, random)
    }
  }

  /** Rows of different keys arrive in any order. */
  private def mixed(rows: Seq[Row], random: Random): Seq[Row] = {
    val left = rows.groupBy(_.get(1)).view.mapValues(_.iterator).toMap
    random.shuffle(rows.map(_.get(1))).map(key => left(key).next())
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random
import scala.util.hashing.byteswap64

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.Repeats

/**
 * Random queries in real-time mode over random rows, with batches that end and a stop within a
 * batch: bit for bit the result of a batch over the same rows.
 */
final class RandomRealTimeSuite extends RandomRealTimeSession {
  override protected def isCompiled: Boolean = true

  private def run(seed: Int): Boolean = {
    // The first random numbers of small, similar seeds are equal.
    val random = new Random(byteswap64(seed.toLong))
    val made = new RandomStreamQuery(random)
    val chosen = for {
      sql <- inRealTime(made)
      rows <- inOrder(made, 150, random)
    } yield (sql, rows)
    chosen.foreach { case (sql, rows) =>
      withClue(s"seed $seed\n$sql\n") {
        val key = if (sql.contains("PARTITION BY k")) (r: Row) => r.get(1) else (_: Row) => 0
        val (from, out) = (new RealTimeSource(RandomStreamQuery.schema, key), new Emitted)
        val parts = rows.grouped(50).toSeq
        val first = running(out.start(asked(sql)(from.rows))) { query =>
          from.add(parts(0): _*)
          val one = out.next(query, 50)
          endBatch(query)
          from.add(parts(1): _*)
          one ++ out.next(query, 50)
        }
        val again = running(out.start(asked(sql)(from.rows))) { query =>
          from.add(parts(2): _*)
          out.next(query, 100)
        }
        val found =
          (first ++ again).groupBy(_.getInt(0)).view.mapValues(_.map(Rendered(_)).distinct)
            .toMap
        val wanted = asked(sql)(table(RandomStreamQuery.schema, rows)).collect().toSeq
          .map(r => r.getInt(0) -> Seq(Rendered(r))).toMap
        assert(found.keySet === wanted.keySet)
        wanted.foreach { case (id, row) => assert(found(id) === row) }
      }
    }
    chosen.isDefined
  }

  test("random queries that look back") {
    val wanted = if (Repeats.isLong) 40 else 5
    val tried = Iterator.from(1 + 1000 * Repeats.first(6)).map(run).take(12 * wanted)
    assert(tried.filter(identity).take(wanted).size === wanted)
  }

  private val frames = Seq(
    "ROWS 3 PRECEDING",
    "ROWS BETWEEN 9 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
    "RANGE INTERVAL 30 SECONDS PRECEDING",
    "RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND INTERVAL 10 SECONDS PRECEDING",
    "RANGE UNBOUNDED PRECEDING",
    "GROUPS 4 PRECEDING",
    "GROUPS BETWEEN 5 PRECEDING AND 1 PRECEDING"
  )

  private val functions = Seq(
    "lag(i, 2) OVER w",
    "lag(i, 1, -1) IGNORE NULLS OVER w",
    "row_number() OVER w",
    "rank() OVER w",
    "sliding(avg(d), 5) OVER w",
    "sliding(max(d), 3, i % 2 = 0) OVER w",
    "since(sum(d), i % 7 = 0) OVER w",
    "session(count(*), INTERVAL 3 SECONDS) OVER w",
    "session_number(INTERVAL 3 SECONDS) OVER w",
    "ewm_mean(d, span => 5) OVER w",
    "framed(sum(d), exclude => 'current row') OVER (w ROWS 5 PRECEDING)",
    "framed(count(*), closed => 'left') OVER (w RANGE INTERVAL 20 SECONDS PRECEDING)",
    "framed(min(d), complete => true) OVER (w ROWS 4 PRECEDING)",
    "first_value(i) OVER (w ROWS 6 PRECEDING)",
    "last_value(i) OVER (w ROWS 6 PRECEDING)",
    "nth_value(i, 2) OVER (w ROWS 6 PRECEDING)",
    "median(d) OVER (w ROWS 6 PRECEDING)",
    "collect_list(i) OVER (w ROWS 2 PRECEDING)",
    "count(DISTINCT i % 3) OVER (w ROWS 6 PRECEDING)",
    "stddev(d) OVER (w ROWS 6 PRECEDING)",
    "plain_sum(d) OVER (w ROWS 6 PRECEDING)"
  ) ++ frames.map(f => s"sum(d) OVER (w $f)") ++ frames.map(f => s"max(i) OVER (w $f)")

  test("every frame that ends at the current row or before, in one operator") {
    val items = functions.zipWithIndex.map { case (f, i) => s"$f AS r$i" }
    val sql = s"SELECT k, t, i, ${items.mkString(",\n  ")}\nFROM t WINDOW w AS " +
      "(PARTITION BY k ORDER BY t)"
    val random = new Random(11L)
    val rows = Seq.tabulate(120) { i =>
      Row(s"k${random.nextInt(3)}", at(2L * i + random.nextInt(2)), i, random.nextGaussian())
    }
    val (from, out) = (new RealTimeSource(StreamSession.Readings, _.get(0)), new Emitted)
    running(out.start(asked(sql)(from.rows))) { query =>
      val found = rows.grouped(60).toSeq.flatMap { part =>
        from.add(part: _*)
        val found = out.next(query, 60)
        endBatch(query)
        found
      }
      val wanted = asked(sql)(table(StreamSession.Readings, rows)).collect().toSeq
      assert(shown(found) === shown(wanted))
    }
  }
}

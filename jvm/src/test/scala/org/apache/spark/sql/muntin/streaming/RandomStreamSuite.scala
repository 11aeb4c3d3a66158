package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row

/**
 * Random queries over streams in random micro-batches, some of them empty, with restarts: bit for
 * bit the results of a batch over the same rows, except for rows that still wait.
 * `-Dmuntin.first=n` and `-Dmuntin.streams=n` in the test JVM's options select the seeds.
 */
final class RandomStreamSuite extends StreamSession {
  override protected def isCompiled: Boolean = true

  private val first = Integer.getInteger("muntin.first", 1).intValue
  private val queries = Integer.getInteger("muntin.streams", 4).intValue

  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.ansi.enabled" -> "false")

  private def run(seed: Int): Unit = {
    val random = new Random(seed.toLong)
    val made = new RandomStreamQuery(random)
    val rows = made.rows(260)
    val full = cut(random, rows, 90)
    val batches =
      full.flatMap(b => if (random.nextInt(5) == 0) Seq(Nil, b) else Seq(b)) :+ Seq(made.last)
    val restarts = chosen(random, batches)
    withClue(s"seed $seed, micro-batches of ${batches.map(_.size).mkString(", ")}, restarts at " +
      s"${restarts.toSeq.sorted.mkString(", ")}\n${made.sql}\n") {
      val query = asked(made.sql) _
      val out = streamed(RandomStreamQuery.schema, batches, restarts) { df =>
        query(df.withWatermark("t", "1 minute"))
      }.flatten.filter(_.getInt(0) >= 0)
      val wanted = query(table(RandomStreamQuery.schema, rows :+ made.last)).collect().toSeq
        .filter(_.getInt(0) >= 0)
      val told = out.map(_.getInt(0)).toSet
      val twice = out.groupBy(_.getInt(0)).values.filter(_.size > 1).toSeq
      assert(
        twice.isEmpty,
        s"each row is emitted once; missing ${wanted.filterNot(r => told(r.getInt(0)))}"
      )
      val byId = (r: Row) => r.getInt(0)
      out.sortBy(byId).zip(wanted.filter(r => told(r.getInt(0))).sortBy(byId)).foreach {
        case (is, should) =>
          assert(Rendered(is) === Rendered(should))
      }
      // The missing rows are the last rows of a group, whose frames wait for more rows.
      wanted.groupBy(made.groupOf).values.foreach { group =>
        val inOrder = group.sortBy(r => (r.getTimestamp(3).getTime, r.getInt(0)))
        val waiting = inOrder.dropWhile(r => told(r.getInt(0)))
        assert(waiting.forall(r => !told(r.getInt(0))), "rows of a group are emitted in order")
        assert(made.mostWaiting.forall(waiting.size <= _), s"rows wait: $waiting")
      }
    }
  }

  (first until first + queries).foreach(seed => sampledTest(s"stream $seed", most = 2)(run(seed)))
}

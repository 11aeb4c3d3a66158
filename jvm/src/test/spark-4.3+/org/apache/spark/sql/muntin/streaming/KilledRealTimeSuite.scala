package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random
import scala.util.hashing.byteswap64

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.Repeats
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.types.StructType

/**
 * Queries in real-time mode that fail at each step of a batch, and are restarted: no result is
 * missing, a repeated result has the same bytes, and all results equal a batch.
 */
final class KilledRealTimeSuite extends RandomRealTimeSession {
  import KilledRealTimeSuite._
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.streaming.checkpointFileManagerClass" -> classOf[FailingFiles].getName,
      // Otherwise Spark rejects micro-batches after a first batch that wrote state and failed.
      VerifyEmpty -> "false"
    )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    InjectedFailures.register(spark)
  }

  /**
   * @param isWritten
   *   whether each row's group is written before the next row is read
   */
  private final class Killed(victim: Victim, isWritten: Boolean, random: Random) {
    import victim._

    private val from = new RealTimeSource(schema, key)
    private val out = new Emitted
    private val results = mutable.ArrayBuffer.empty[Row]
    // The rows that the source has, and those whose batch is committed.
    private var sent = 0
    private var committed = 0
    private var repeated = 0

    private def uncommitted: Set[Any] = due(sent) -- due(committed)

    private def send(count: Int): Unit = {
      from.add(rows.slice(sent, sent + count): _*)
      sent = math.min(sent + count, rows.size)
    }

    /** Runs the query for one or two steps of rows, and until `failure` in the next step. */
    def run(failure: Failure, step: Int): Unit = withClue(s"$failure after $sent rows: ") {
      val seen = mutable.Set.empty[Any]
      def take(found: Seq[Row]): Unit = {
        results ++= found
        seen ++= found.map(identity)
      }
      def await(query: StreamingQuery): Unit =
        while (!uncommitted.subsetOf(seen)) take(out.next(query, 1))
      def end(query: StreamingQuery): Unit = {
        await(query)
        // Else the batch may not have begun.
        if (seen.nonEmpty) {
          endBatch(query)
          committed = sent
          seen.clear()
        }
      }
      def dies(query: StreamingQuery): Unit = {
        eventually(assert(!query.isActive))
        // The query may fail with the error of a task that reads from the failed one.
        assert(query.exception.isDefined && InjectedFailures.haveHappened)
        InjectedFailures.clear()
      }
      val isRealTime = failure != InMicroBatches
      // Then most groups may be written before the batch ends.
      var isNearEnd = false
      val stream = asked(sql)(from.rows.where("reaches(k)")).where(s"emits($emitted)")
      val query = out.start(stream, isRealTime)
      try {
        if (isRealTime) {
          await(query)
          repeated += seen.size
          send(step)
          if (random.nextBoolean()) end(query)
          if (random.nextBoolean()) {
            // Groups are written while the batch runs, since the batch ends soon.
            await(query)
            approachEnd(700L)
            isNearEnd = true
            send(step)
            await(query)
            passTime(400L)
          }
        }
        def more = (due(math.min(sent + step, rows.size)) -- due(sent)).size
        def groups = rows.slice(sent, sent + step).map(key).distinct.size
        failure match {
          case AtRow =>
            InjectedFailures.ofRows.failAt(1 + random.nextInt(step))
            send(step)
            dies(query)
          case AtResult =>
            await(query)
            val next = more
            if (next > 0) InjectedFailures.ofResults.failAt(1 + random.nextInt(next))
            send(step)
            if (next > 0) dies(query)
          case Stopped =>
            await(query)
            val next = random.nextInt(more + 1)
            send(step)
            take(out.next(query, next))
          case InMicroBatches =>
            send(step)
            query.processAllAvailable()
            take(out.rest())
            committed = sent
          case NoFailure =>
            send(step)
            end(query)
          case InFlush if isWritten =>
            InjectedFailures.ofStates.failAt(1 + random.nextInt(groups))
            send(step)
            dies(query)
          case atEnd: AtEnd =>
            val written = if (isNearEnd) 1 else groups
            send(step)
            await(query)
            // The batch has begun when it has emitted a result.
            while (seen.isEmpty) {
              send(step)
              await(query)
            }
            atEnd.prepare(random, written)
            endTasks()
            dies(query)
        }
      } finally {
        InjectedFailures.clear()
        query.stop()
        take(out.rest())
      }
    }

    def check(batch: Seq[Row]): Unit = {
      assert(sent === rows.size)
      assert(repeated > 0)
      val found = results.groupBy(identity).view.mapValues(_.map(Rendered(_)).distinct).toMap
      val wanted = batch.groupBy(identity).view.mapValues(_.map(Rendered(_)).toSeq).toMap
      assert(found.keySet === due(sent))
      found.foreach { case (id, row) => assert(row.toSeq === wanted(id)) }
    }
  }

  /** Kills the query in each way, in a random order. */
  private def kill(victim: Victim, random: Random): Unit = {
    // Only a query with fragile states fails when they are written.
    val failures = random.shuffle(Failures.filter(_ != InFlush || victim.hasStates))
    withClue(s"${failures.mkString(", ")}\n${victim.sql}\n") {
      val isWritten = random.nextInt(3) == 0
      val setting = Option.when(isWritten)(MuntinConf.StreamWarmMemory.key -> "0")
      withConf(setting.toSeq: _*) {
        val killed = new Killed(victim, isWritten, random)
        failures.foreach(killed.run(_, Step))
        killed.run(NoFailure, victim.rows.size)
        killed.check(asked(victim.sql)(table(victim.schema, victim.rows)).collect().toSeq)
      }
    }
  }

  // A run takes three steps, or a few more if no row of a step has a result.
  private val count = Step * (3 * Failures.size + 3)

  private def killRandom(seed: Int): Boolean = {
    // Small seeds that differ little begin with the same numbers.
    val random = new Random(byteswap64(seed.toLong))
    val made = new RandomStreamQuery(random)
    val fragile = s"fragile_count(id) ${made.over("ROWS UNBOUNDED PRECEDING")} AS fragile"
    val chosen = for {
      sql <- inRealTime(made, fragile)
      rows <- inOrder(made, count, random)
    } yield (sql, rows)
    chosen.foreach { case (sql, rows) =>
      withClue(s"seed $seed: ") {
        val key = if (sql.contains("PARTITION BY k")) made.groupOf(_) else (_: Row) => 0
        val partition = if (sql.contains("PARTITION BY k")) (r: Row) => r.get(1) else key
        val due = (n: Int) => rows.take(n).map(_.get(0)).toSet
        val schema = RandomStreamQuery.schema
        kill(Victim(sql, schema, rows, partition, _.get(0), "id", due), random)
      }
    }
    chosen.isDefined
  }

  test("random queries") {
    val wanted = if (Repeats.isLong) 20 else 1
    val tried = Iterator.from(1 + 1000 * Repeats.first(6)).map(killRandom).take(12 * wanted)
    assert(tried.filter(identity).take(wanted).size === wanted)
  }

  test("a first batch that failed at its end is repeated; micro-batches require a setting") {
    val sql = "SELECT i, sum(d) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING) AS s FROM t"
    val rows = readings(new Random(4L)).take(Step)
    val (from, out) = (new RealTimeSource(Readings, _.get(0)), new Emitted)
    from.add(rows: _*)
    val query = out.start(asked(sql)(from.rows))
    val first = out.next(query, Step)
    BeforeOffsets.prepare(new Random(1L), groups = 1)
    endTasks()
    eventually(assert(!query.isActive))
    InjectedFailures.clear()
    withConf(VerifyEmpty -> "true") {
      val rejected = out.start(asked(sql)(from.rows), isRealTime = false)
      eventually(assert(!rejected.isActive))
      assertCondition(rejected.exception.get, "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY")
      val again = running(out.start(asked(sql)(from.rows)))(out.next(_, Step))
      assert(again.map(Rendered(_)).toSet === first.map(Rendered(_)).toSet)
    }
    val inBatches = running(out.start(asked(sql)(from.rows), isRealTime = false)) { query =>
      query.processAllAvailable()
      out.next(query, Step)
    }
    val batch = asked(sql)(table(Readings, rows)).collect().toSeq
    assert(inBatches.map(Rendered(_)).toSet === batch.map(Rendered(_)).toSet)
  }

  private def readings(random: Random): Seq[Row] = Seq.tabulate(count) { i =>
    val key = random.nextInt(4)
    Row(if (key == 0) null else s"k$key", at(i.toLong), i, random.nextGaussian())
  }

  private val frames = Seq(
    "sum(d) OVER (w ROWS 100 PRECEDING)",
    "avg(d) OVER (w RANGE INTERVAL 20 SECONDS PRECEDING)",
    "max(d) OVER (w GROUPS 7 PRECEDING)",
    "plain_sum(d) OVER (w ROWS UNBOUNDED PRECEDING)",
    "fragile_count(i) OVER (w ROWS UNBOUNDED PRECEDING)",
    "lag(i, 3) OVER w",
    "row_number() OVER w",
    "sliding(min(d), 5, i % 2 = 0) OVER w",
    "since(count(*), i % 7 = 0) OVER w",
    "session_number(INTERVAL 3 SECONDS) OVER w",
    "ewm_mean(d, span => 5) OVER w"
  )

  test("frames") {
    val random = new Random(byteswap64(Repeats.first(6).toLong))
    val items = frames.zipWithIndex.map { case (f, i) => s"$f AS r$i" }
    val sql = s"SELECT k, t, i, ${items.mkString(", ")} FROM t WINDOW w AS " +
      "(PARTITION BY k ORDER BY t)"
    val rows = readings(random)
    val due = (n: Int) => rows.take(n).map(_.get(2)).toSet
    kill(Victim(sql, Readings, rows, _.get(0), _.get(2), "i", due), random)
  }

  sampledTests[String](
    Seq(
      "tumble(t, INTERVAL 7 SECONDS)",
      "field_window(t, 10)",
      "hop(t, INTERVAL 5 SECONDS, INTERVAL 20 SECONDS)",
      "sessions(t, INTERVAL 4 SECONDS)"
    ),
    most = 4,
    isRequired = _ => false
  )(window => s"windows of groups: $window") { window =>
    val random = new Random(byteswap64(Repeats.first(6).toLong))
    val name = window.takeWhile(_ != '(')
    val sql =
      s"SELECT k, $name AS w, count(*) AS n, sum(d) AS s, max(i) AS i, fragile_count(i) AS f " +
        s"FROM t GROUP BY k, $window"
    val rows = readings(random)
    // A window is due when a row of its group closes it.
    val closed = streamed(Readings, rows.grouped(Step).toSeq)(asked(sql))
    val identity = (r: Row) => (r.get(0), r.get(1))
    val due = closed.scanLeft(Set.empty[Any])(_ ++ _.map(identity))
    val victim = Victim(sql, Readings, rows, _.get(0), identity, "n", n => due(n / Step))
    // Windows that overlap store their rows.
    kill(victim.copy(hasStates = name != "hop"), random)
  }: Unit
}

object KilledRealTimeSuite {
  private val Step = 10
  private val VerifyEmpty = "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart"

  /**
   * A query, and the rows that it reads.
   *
   * @param rows
   *   all rows, in the order in which they arrive
   * @param key
   *   the key by which the query partitions
   * @param identity
   *   identifies a result
   * @param emitted
   *   the column of the results that may fail
   * @param due
   *   identifies the results of the first n rows
   * @param hasStates
   *   whether states of `fragile_count` are written
   */
  private final case class Victim(
      sql: String,
      schema: StructType,
      rows: Seq[Row],
      key: Row => Any,
      identity: Row => Any,
      emitted: String,
      due: Int => Set[Any],
      hasStates: Boolean = true
  )

  /** What ends a run of a query. */
  private sealed trait Failure

  /** The task of the source fails between two rows. */
  private case object AtRow extends Failure

  /** The task of the windows fails between two results. */
  private case object AtResult extends Failure

  /** The query is stopped between two results. */
  private case object Stopped extends Failure

  /** The query runs in micro-batches, and is stopped between two of them. */
  private case object InMicroBatches extends Failure

  private case object NoFailure extends Failure

  /** The query fails at the end of the batch, after all results have been emitted. */
  private sealed trait AtEnd extends Failure {

    /** Injects the failure, into a batch with rows of this number of groups. */
    def prepare(random: Random, groups: Int): Unit
  }

  /** The task of the windows fails when some groups have been written to the state. */
  private case object InFlush extends AtEnd {
    override def prepare(random: Random, groups: Int): Unit =
      InjectedFailures.ofStates.failAt(1 + random.nextInt(groups))
  }

  /** One of the two tasks with windows fails when it commits its state. */
  private case object InStateCommit extends AtEnd {
    override def prepare(random: Random, groups: Int): Unit = {
      val partition = random.nextInt(2)
      InjectedFailures.isLost = _.contains(s"/state/0/$partition/")
    }
  }

  /** The query fails after the state is committed, before Spark writes the offsets of the batch. */
  private case object BeforeOffsets extends AtEnd {
    override def prepare(random: Random, groups: Int): Unit =
      InjectedFailures.isLost = _.contains("/offsets/")
  }

  /** The query fails when all is written but the commit of the batch. */
  private case object BeforeCommit extends AtEnd {
    override def prepare(random: Random, groups: Int): Unit =
      InjectedFailures.isLost = _.contains("/commits/")
  }

  private val Failures: Seq[Failure] =
    Seq(
      AtRow,
      AtResult,
      Stopped,
      InMicroBatches,
      InFlush,
      InStateCommit,
      BeforeOffsets,
      BeforeCommit
    )
}

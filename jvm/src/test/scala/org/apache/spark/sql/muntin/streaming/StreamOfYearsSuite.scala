package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import scala.collection.mutable
import scala.util.Random

import io.muntin.Muntin
import io.muntin.kernel.Cases
import org.apache.spark.sql.{DataFrame => AnyDataFrame, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.scalatest.Assertion

/**
 * Checkpoints that an earlier Spark has written live on: between micro-batches, in a random order,
 * a micro-batch is killed, functions change, the state moves to other partitions, the output mode
 * changes and changes back, and the checkpoint is restored. Each result is the result of a batch
 * over all rows.
 */
final class StreamOfYearsSuite extends StreamSession {
  import StreamsOfEveryKind.{all, numbers, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "1"
    )

  private type Query = DataFrame => DataFrame

  /** Returns a query whose frames are in the frames of the kind. */
  private def narrower(kind: Kind, random: Random): Query = {
    def frame = kind.name match {
      case "OVER RANGE" => s"ORDER BY t RANGE INTERVAL ${1 + random.nextInt(30)} SECONDS PRECEDING"
      case "OVER ROWS" => s"ORDER BY t, i ROWS ${1 + random.nextInt(7)} PRECEDING"
    }
    val functions = random.shuffle(numbers).take(1 + random.nextInt(6)).zipWithIndex
    val columns = functions.map { case (f, n) => s"$f OVER (PARTITION BY k $frame) AS c$n" }
    rows => {
      rows.withWatermark("t", "4 seconds").createOrReplaceTempView("t")
      spark.sql(s"SELECT i, ${columns.mkString(", ")} FROM t")
    }
  }

  private final class Life(kind: Kind, random: Random, first: Path) {
    private val source = new Source(schema)
    private var query: Query = kind.query(_).drop("k")
    private var checkpoint = first
    // True until the query has changed.
    private var changes = true
    // What happened, for a test that fails.
    private val story = mutable.ArrayBuffer.empty[String]
    private val results = mutable.ArrayBuffer.empty[(Int, String)]
    private val wanted = mutable.HashMap.empty[Int, String]

    private def copied(event: String)(copy: (DataFrame, String, String) => AnyDataFrame): Unit = {
      story += event
      val to = temporary().resolve("copy")
      val rows = copy(query(source.rows), checkpoint.toString, to.toString).collect()
      if (rows.head.schema.fieldNames.contains("action")) {
        val actions = rows.map(_.getAs[String]("action")).toSet
        assert(actions.subsetOf(Set("continues", "is dropped")), story)
      }
      checkpoint = to
    }

    private val events = Seq[() => Unit](
      () => {
        query = narrower(kind, random)
        copied("change")(Muntin.change(_, _, _))
        // The rows that remain may be too few for other frames.
        changes = false
      },
      () => {
        val partitions = 1 + random.nextInt(4)
        copied(s"repartition $partitions")((_, c, to) =>
          Muntin.repartition(spark, c, partitions, to)
        )
      },
      () =>
        Seq("update", "append").foreach(mode =>
          copied(mode)(Muntin.change(_, _, _, outputMode = Some(mode)))
        ),
      () => copied("restore")((_, c, to) => Muntin.restore(spark, c, to)),
      () => {
        story += "kill"
        val killed =
          new Answers(checkpoint).start(
            query(source.rows),
            Trigger.AvailableNow(),
            fails = _ => true
          )
        intercept[StreamingQueryException](killed.awaitTermination()): Unit
      }
    )

    private def run(isLast: Boolean): Unit = {
      story += "run"
      val answers = new Answers(checkpoint)
      withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
        answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      def numbered(rows: Seq[Row]) = rows.map(row => row.getAs[Int]("i") -> shown(Seq(row)).head)
      val found = numbered(answers.next())
      val all = numbered(query(table(schema, parts.flatten)).collect().toSeq).toMap
      results ++= found
      found.foreach { case (i, _) => wanted(i) = all(i) }
    }

    def check(emitted: Int): Assertion = {
      parts.init.foreach(source.add)
      val rest = parts.last.grouped(5).toSeq
      rest.zipWithIndex.foreach { case (rows, n) =>
        source.add(rows)
        random.shuffle(
          events.drop(if (changes) 0 else 1)
        ).take(random.nextInt(3)).foreach(_.apply())
        run(isLast = n == rest.size - 1)
      }
      assert(results.size === parts.flatten.size - emitted, story)
      assert(results.toMap === wanted.toMap, story)
    }
  }

  private val kinds = all.filter(kind => Set("OVER RANGE", "OVER ROWS")(kind.name))

  for (file <- CheckpointFile.stored) {
    lazy val checkpoints = CheckpointFile(file)
    for (kind <- kinds; n <- 1 to 8)
      sampledTest(s"${CheckpointFile.sparkOf(file)}, ${kind.name}, life $n", most = 32) {
        val stored = checkpoints.of(kind.name)
        val random = new Random(Cases.seed * 1000L + n)
        new Life(kind, random, stored.extractTo(temporary())).check(stored.emitted)
      }
  }
}

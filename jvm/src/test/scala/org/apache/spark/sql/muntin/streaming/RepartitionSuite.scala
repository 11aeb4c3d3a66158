package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import scala.jdk.StreamConverters._

import io.muntin.Muntin
import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types._

/**
 * Checkpoints with another number of partitions: a query of each kind continues from the copy, and
 * its results equal a batch.
 */
final class RepartitionSuite extends StreamSession {
  import StreamsOfEveryKind.{all, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  /** A query that has some parts of the rows, and the source of its rows. */
  private final class Started(kind: Kind) {
    private val source = new Source(schema)

    def add(rows: Seq[Row]): Unit = source.add(rows)

    def run(checkpoint: Path, isLast: Boolean = false): Seq[Row] = {
      val answers = new Answers(checkpoint, kind.outputMode)
      val drains = isLast && kind.outputMode != "update"
      withConf(MuntinConf.StreamDrain.key -> drains.toString) {
        answers.start(kind.query(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      answers.next()
    }
  }

  private def repartitioned(checkpoint: Path, partitions: Int): (Path, Seq[Row]) = {
    val to = temporary().resolve("copy")
    val rows =
      Muntin.repartition(spark, checkpoint.toString, partitions, to.toString).collect().toSeq
    (to, rows)
  }

  /** Returns the results of each part; before each part but the first, `next` has the checkpoint. */
  private def results(kind: Kind)(next: Path => Path): Seq[Seq[Row]] =
    withConf(kind.settings.toSeq: _*) {
      val started = new Started(kind)
      var checkpoint = temporary()
      parts.zipWithIndex.map { case (rows, i) =>
        if (i > 0) checkpoint = next(checkpoint)
        started.add(rows)
        started.run(checkpoint, isLast = i == parts.size - 1)
      }
    }

  private def check(kind: Kind): Unit = {
    val partitions = Iterator(5, 1)
    val moved = results(kind) { checkpoint =>
      val before = files(checkpoint)
      val (copy, rows) = repartitioned(checkpoint, partitions.next())
      assert(files(checkpoint) === before)
      assert(rows.exists(_.getAs[Long]("groups") > 0L))
      copy
    }
    assert(moved.map(shown) === results(kind)(identity).map(shown))
    ()
  }

  // Their results depend on the order of rows of equal times.
  for (kind <- all)
    sampledTest(s"${kind.name}: grows, shrinks, and continues", most = 12)(check(kind))

  private def kind(name: String): Kind = all.find(_.name == name).get

  test("the totals, timers and starts of all partitions: counted as before") {
    val windows = kind("windows over windows")
    val started = new Started(windows)
    val checkpoint = temporary()
    started.add(parts.head)
    started.run(checkpoint): Unit
    val (copy, five) = repartitioned(checkpoint, 5)
    val (_, again) = repartitioned(copy, 2)
    val (_, two) = repartitioned(checkpoint, 2)
    assert(five.map(_.getAs[Int]("partitions")) === Seq(5, 5))
    val columns = Seq("operator", "window", "partitions", "groups", "rows", "bytes", "largest")
    assert(again.map(r => columns.map(r.getAs[Any](_))) ===
      two.map(r => columns.map(r.getAs[Any](_))))
    for ((a, b) <- five.zip(two); column <- Seq("groups", "rows", "bytes"))
      assert(a.getAs[Long](column) === b.getAs[Long](column))
    assert(five.map(_.getAs[Long]("groups")).forall(_ > 1L))
  }

  test("a micro-batch that was planned and not committed runs again, with its rows") {
    val over = kind("order of arrival")
    withConf(over.settings.toSeq: _*) {
      val source = new Source(schema)
      val (checkpoint, first) = (temporary(), parts.head)
      def start(answers: Answers, fails: Long => Boolean = _ => false): Unit = {
        val query = answers.start(over.query(source.rows), Trigger.AvailableNow(), fails)
        try query.awaitTermination()
        catch { case _: Exception if query.exception.isDefined => () }
      }
      source.add(first)
      val before = new Answers(checkpoint)
      start(before)
      val early = before.next()
      val committed = before.last._1
      source.add(parts(1))
      start(before, fails = _ > committed)
      val failed = before.next()
      assert(failed.nonEmpty)
      val (copy, _) = repartitioned(checkpoint, 3)
      // These rows are not in the planned micro-batch.
      source.add(parts(2))
      val after = new Answers(copy)
      start(after)
      val repeated = after.next()
      assert(shown(failed).diff(shown(repeated)) === Nil)
      assert(repeated.map(_.getAs[Int]("i")).distinct.size === repeated.size)
      assert(early.map(_.getAs[Int]("i")).intersect(repeated.map(_.getAs[Int]("i"))) === Nil)
    }
  }

  test("nothing is left of a copy that fails") {
    val over = kind("OVER ROWS")
    val started = new Started(over)
    val checkpoint = temporary()
    started.add(parts.head)
    started.run(checkpoint): Unit
    // A damaged state.
    val state = Files.walk(checkpoint.resolve("state/0/1")).toScala(Seq)
      .filter(f => Files.isRegularFile(f) && !f.getFileName.toString.startsWith("_"))
    assert(state.nonEmpty)
    state.foreach(Files.delete)
    val to = temporary().resolve("copy")
    intercept[Exception](Muntin.repartition(spark, checkpoint.toString, 3, to.toString))
    assert(!Files.exists(to))
  }

  test("the types of keys are read from a checkpoint's properties") {
    val columns = StructType.fromDDL(
      "k string, n decimal(9, 2), s struct<a: int, b: array<string>>, d interval day to second"
    )
    def text(fields: StructType) = fields.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
    assert(StateRouting.keyTypes(text(columns)) === columns.map(_.dataType))
    val computed =
      StructType(Seq(StructField("(i % 2)", IntegerType), StructField("a b", DateType)))
    assert(StateRouting.keyTypes(text(computed)) === computed.map(_.dataType))
    assert(StateRouting.keyTypes("") === Nil)
  }
}

package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import io.muntin.Muntin
import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.ThisJar
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.Assertion

/**
 * Checkpoints that earlier versions have written, one of each kind of query on each Spark: the
 * query continues, also in other partitions, and its results equal a batch. They are in
 * `src/test/resources/checkpoints/spark-4.0.zip.gz` and so on, with the number of results that
 * the query had emitted. A layout of the state that cannot be read fails here.
 *
 * `MUNTIN_CHECKPOINTS=write` writes the file of the running Spark. Do so for a new Spark or a new
 * kind, and never to replace a file: released versions have written such checkpoints.
 */
final class StoredCheckpointsSuite extends StreamSession {
  import CheckpointFile._
  import StreamsOfEveryKind.{all, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      // Small files.
      "spark.sql.shuffle.partitions" -> "1"
    )

  /** A query that has some parts of the rows. */
  private final class Started(kind: Kind, checkpoint: Path) {
    private val source = new Source(schema)
    private val answers = new Answers(checkpoint, kind.outputMode)

    def add(rows: Seq[Row]): Unit = source.add(rows)

    def run(): Seq[Row] = {
      answers.start(kind.query(source.rows), Trigger.AvailableNow()).awaitTermination()
      answers.next()
    }

    def drain(): Seq[Row] =
      if (kind.outputMode == "update") run()
      else withConf(MuntinConf.StreamDrain.key -> "true")(run())
  }

  private def under[T](kind: Kind)(body: => T): T = withConf(kind.settings.toSeq: _*)(body)

  /** Returns the results of all parts but the last, and leaves a checkpoint. */
  private def begin(kind: Kind, checkpoint: Path): Seq[Row] = {
    val started = new Started(kind, checkpoint)
    parts.init.flatMap { rows =>
      started.add(rows)
      started.run()
    }
  }

  /** Returns the results of the last part, which continues from a checkpoint. */
  private def finish(kind: Kind, checkpoint: Path): Seq[Row] = {
    val resumed = new Started(kind, checkpoint)
    parts.foreach(resumed.add)
    resumed.drain()
  }

  /** Returns the results of the last part, after `emitted` results of the others. */
  private def expected(kind: Kind, emitted: Int): Seq[String] = {
    val checkpoint = temporary()
    val early = begin(kind, checkpoint)
    assert(early.size === emitted)
    if (kind.outputMode == "update" || !kind.isBatch) shown(finish(kind, checkpoint))
    else {
      val all = shown(kind.query(table(schema, parts.flatten)).collect().toSeq)
      val rest = all.diff(shown(early))
      assert(rest.size === all.size - emitted)
      rest
    }
  }

  private def write(file: Path): Unit = CheckpointFile.write(
    file,
    all.iterator.map { kind =>
      val checkpoint = temporary()
      (kind.name, under(kind)(begin(kind, checkpoint)).size, checkpoint)
    }
  )

  /** Copies a checkpoint to other partitions. */
  private def moved(checkpoint: Path): Path = {
    val to = temporary().resolve("copy")
    Muntin.repartition(spark, checkpoint.toString, 3, to.toString): Unit
    to
  }

  private def check(
      file: CheckpointFile,
      kind: Kind,
      upgrade: Path => Path = identity
  ): Assertion = {
    val stored = file.of(kind.name)
    under(kind) {
      val later = finish(kind, upgrade(stored.extractTo(temporary())))
      assert(later.nonEmpty)
      assert(shown(later) === expected(kind, stored.emitted))
    }
  }

  if (sys.env.get("MUNTIN_CHECKPOINTS").contains("write"))
    test("write the checkpoints of this Spark") {
      write(Folder.resolve(fileOf(ThisJar.SPARK)))
    }
  else {
    test("each Spark has a file") {
      assert(stored.map(_.getFileName.toString).contains(fileOf(ThisJar.SPARK)))
    }

    for (file <- stored) {
      lazy val checkpoints = CheckpointFile(file)
      val spark = sparkOf(file)
      // The gate reads a fifth of the checkpoints of the first Spark, and a few of the others.
      val most = if (file == stored.head) 5 else 15
      def name(kind: Kind) = s"$spark, ${kind.name}"
      sampledTests[Kind](all, most, _ => false)(name)(check(checkpoints, _)): Unit
      sampledTests[Kind](all, 4 * most, _ => false)(kind => s"${name(kind)}, in three partitions") {
        check(checkpoints, _, moved)
      }: Unit
    }
  }
}

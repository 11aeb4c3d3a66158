package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.execution.split.SplitReadExec
import org.scalatest.Assertion

/** Compares queries whose partitions are split over tasks with the unsplit queries. */
trait SplitSession extends MuntinSession {
  import SplitSession._

  // Spark's radix sort changes the order of equal rows if there are nulls.
  override protected def settings: Map[String, String] = Map(
    "spark.sql.shuffle.partitions" -> "3",
    "spark.sql.adaptive.enabled" -> "true",
    "spark.muntin.split.enabled" -> "true",
    "spark.sql.sort.enableRadixSort" -> "false"
  )

  protected final def chunks(frame: DataFrame): Long =
    nodes(frame) { case r: SplitReadExec => r }.map(_.metrics("numChunks").value).sum

  protected final def split(frame: DataFrame): Int = nodes(frame) { case r: SplitReadExec =>
    r
  }.size

  protected final def rereads(frame: DataFrame): Long =
    nodes(frame) { case r: SplitReadExec => r }.map(_.metrics("numRereads").value).sum

  protected final def run(query: String): (DataFrame, Seq[String]) = {
    val frame = spark.sql(query)
    val rows = frame.collect().toSeq.map(bits).sorted
    (frame, rows)
  }

  /** The number of partitions that were exchanged by range. */
  protected final def exchanged(frame: DataFrame): Long =
    nodes(frame) { case r: SplitReadExec => r }
      .flatMap(_.metrics.get("numExchanged"))
      .map(_.value)
      .sum

  /**
   * Asserts that the query returns equal bits with and without chunks, which in turn read the whole
   * partition or have it exchanged; returns the minimum number of chunks.
   */
  protected final def sameBits(query: String, seeds: Seq[Long] = Seq(1L), forced: Int = 4): Long = {
    val unsplit = withConf("spark.muntin.split.enabled" -> "false")(run(query))
    assert(split(unsplit._1) == 0, query)
    val found = for {
      (seed, i) <- seeds.zipWithIndex
      (isExchanged, j) <- Seq(false, true).zipWithIndex
      if Repeats.selects(i + j + query.length, 2)
    } yield {
      val made = withConf(
        "spark.muntin.split.forceChunks" -> forced.toString,
        "spark.muntin.split.forceExchange" -> isExchanged.toString,
        "spark.muntin.split.forceSeed" -> seed.toString
      )(run(query))
      val differ = unsplit._2.zip(made._2).filter { case (a, b) => a != b }
      withClue(
        s"seed $seed, ${chunks(made._1)} chunks, ${exchanged(made._1)} partitions exchanged: $query\n"
      ) {
        assert(unsplit._2.size == made._2.size)
        assert(differ.take(3) == Nil)
      }
      if (rereads(made._1) > 0L) queriesReadAgain += 1
      if (exchanged(made._1) > 0L) queriesExchanged += 1
      chunks(made._1)
    }
    found.min
  }

  protected final var queriesExchanged = 0

  protected final var queriesReadAgain = 0

  protected final def assertSplit(query: String): Assertion = assert(sameBits(query) > 1L, query)

  protected final def assertWhole(query: String): Assertion = assert(sameBits(query) == 0L, query)
}

object SplitSession {

  /** A row's values, so that equality compares bits. */
  def bits(value: Any): String = value match {
    case d: Double => java.lang.Double.doubleToRawLongBits(d).toString
    case f: Float => java.lang.Float.floatToRawIntBits(f).toString
    case bytes: Array[Byte] => bytes.mkString("0x", ",", "")
    case row: Row => row.toSeq.map(bits).mkString("(", ", ", ")")
    case values: scala.collection.Seq[_] => values.map(bits).mkString("[", ", ", "]")
    case other => String.valueOf(other)
  }
}

package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path
import java.util.UUID

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{StateOfPartition, StatefulExec}
import org.apache.spark.sql.streaming.StreamingQueryException

/** What a query's state takes: as its progress says, in the store, and in memory beside it. */
final class StreamStateSuite extends StreamSession {
  import StreamSession.Readings

  /**
   * What groups and pages take in the store of the first operator with state, after so many
   * micro-batches.
   */
  private def stored(checkpoint: Path, version: Long): Long =
    (0 until spark.conf.get("spark.sql.shuffle.partitions").toInt).map { partition =>
      val place = StateStoreId(checkpoint.resolve("state").toString, 0L, partition)
      val provider = StateStoreProvider.createAndInit(
        StateStoreProviderId(place, UUID.randomUUID),
        StatefulExec.DefaultKey,
        StatefulExec.Value,
        NoPrefixKeyStateEncoderSpec(StatefulExec.DefaultKey),
        useColumnFamilies = true,
        StateStoreConf(spark.sessionState.conf),
        spark.sessionState.newHadoopConf(),
        useMultipleValuesPerKey = false,
        None
      )
      try {
        val store = provider.getStore(version)
        new StreamStore(new StateOfPartition(store), keepsBegins = false): Unit
        val sizes = Seq(StreamStore.Heads, StreamStore.Pages).map { family =>
          // The totals belong to no group.
          store.iterator(family.name).filter(_.key.getBinary(0).length > 1)
            .map(pair => (pair.key.getSizeInBytes + pair.value.getSizeInBytes).toLong).sum
        }
        store.abort()
        sizes.sum
      } finally provider.close()
    }.sum

  // The last moves time; the watermark is there in a micro-batch of its own.
  private def batches(more: Seq[Row]*): Seq[Seq[Row]] =
    Seq.tabulate(3)(b => rows(1000 * b, 1000)) ++ more

  private def rows(first: Int, count: Int): Seq[Row] =
    Seq.tabulate(count)(i => Row(s"k${i % 2}", at((first + i).toLong), i, i * 0.5))

  private def end(seconds: Long): Seq[Row] = Seq(Row("k1", at(seconds), 0, 0.0))

  private val over = "SELECT k, sum(d) OVER (PARTITION BY k ORDER BY t RANGE " +
    "INTERVAL 1500 SECONDS PRECEDING) AS s FROM t"

  for {
    (title, sql, delay, warm) <- Seq(
      ("rows of frames", over, 10, "64m"),
      ("rows of frames, read again each time", over, 10, "0"),
      ("rows that wait", over, 5000, "64m"),
      (
        "rows that leave in any order",
        "SELECT k, count(*), max(d) FROM t GROUP BY k, validity(t, t + make_interval(0, 0, 0, 0, 0, 0, 2000 - i))",
        10,
        "64m"
      )
    )
  }
    test(s"the progress says how many bytes are in the store: $title") {
      val checkpoint = temporary()
      var said = Map.empty[Long, Long]
      var pages = 0L
      withConf(MuntinConf.StreamWarmMemory.key -> warm) {
        val answers = streamed(
          Readings,
          batches(),
          Set(2),
          p => {
            metric(p, "stateBytes").foreach(bytes => said += p.batchId -> bytes)
            metric(p, "numPages").foreach(n => pages = math.max(pages, n))
          },
          checkpoint = checkpoint
        )(df => asked(sql)(df.withWatermark("t", s"$delay seconds")))
        assert(answers.nonEmpty)
      }
      val (last, bytes) = said.max
      assert(pages > 2L && bytes > 10000L)
      assert(bytes === stored(checkpoint, last + 1L))
    }

  test("where nothing is kept, no bytes are") {
    var bytes = Seq.empty[Long]
    val answers = streamed(
      Readings,
      batches(end(100000L), end(200000L)),
      seen = p => bytes = bytes ++ metric(p, "stateBytes")
    )(df => asked(over)(df.withWatermark("t", "10 seconds")))
    assert(answers.nonEmpty)
    // The last row waits: its group's head.
    assert(bytes.max > 50000L && bytes.last < 300L, bytes)
  }

  test("a task that fails gives back what its groups have taken in memory") {
    val groups = Seq.tabulate(50)(k => Row(s"k$k", at(100L), 0, 1.0))
    var taken = 0L
    withConf(MuntinConf.StreamOrder.key -> "arrival", "spark.sql.shuffle.partitions" -> "1") {
      val error = intercept[StreamingQueryException] {
        streamed(
          Readings,
          Seq(groups, Seq(Row("k7", at(99L), 0, 1.0))),
          seen = _ => taken = WarmStore.bytes
        )(asked(over))
      }
      assert(messages(error).contains("OUT_OF_ORDER"))
    }
    // About eight kilobytes each, besides what it holds.
    assert(WarmStore.bytes <= taken - 50L * 8192L)
  }
}

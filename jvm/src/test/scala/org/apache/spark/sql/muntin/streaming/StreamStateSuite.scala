package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path
import java.util.UUID

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{StateOfPartition, StatefulExec}
import org.apache.spark.sql.streaming.StreamingQueryException

/** The size of a query's state: in its progress, in the store, and in memory. */
final class StreamStateSuite extends StreamSession {
  import StreamSession.Readings

  /**
   * Returns the bytes of groups and pages in the store of the first operator with state, after n
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

  // The last row advances time; the watermark advances in a separate micro-batch.
  private def batches(more: Seq[Row]*): Seq[Seq[Row]] =
    Seq.tabulate(3)(b => rows(2000 * b, 2000)) ++ more

  private def rows(first: Int, count: Int): Seq[Row] =
    Seq.tabulate(count)(i => Row(s"k${i % 2}", at((first + i).toLong), i, i * 0.5))

  private def end(seconds: Long): Seq[Row] = Seq(Row("k1", at(seconds), 0, 0.0))

  private def over(seconds: Int) = "SELECT k, sum(d) OVER (PARTITION BY k ORDER BY t RANGE " +
    s"INTERVAL $seconds SECONDS PRECEDING) AS s FROM t"

  for {
    (title, sql, delay, warm, isPaged) <- Seq(
      ("rows of frames", over(1500), 10, "64m", true),
      ("rows of frames, read again each time", over(1500), 10, "0", true),
      ("rows of frames narrower than a page", over(100), 10, "64m", false),
      ("rows that wait", over(1500), 5000, "64m", true),
      (
        "rows that leave in any order",
        "SELECT k, count(*), max(d) FROM t GROUP BY k, validity(t, t + make_interval(0, 0, 0, 0, 0, 0, 2000 - i))",
        10,
        "64m",
        true
      )
    )
  }
    sampledTest(s"the progress reports the bytes in the store: $title", most = 2) {
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
      if (isPaged) assert(pages > 2L && bytes > 10000L) else assert(pages === 0L && bytes > 1000L)
      assert(bytes === stored(checkpoint, last + 1L))
    }

  // Rows arrive one per second, then ten per second, then one per second: a window's rows grow
  // beyond a page, and shrink below a page.
  for (seconds <- Seq(3, 125); warm <- Seq("64m", "0"))
    sampledTest(
      s"windows of $seconds seconds, warm memory $warm: over restarts equal to a batch",
      most = 2
    ) {
      val random = new Random(seconds)
      var t = 0.0
      val all = Seq.tabulate(1500) { i =>
        t += (if (i / 500 == 1) 0.1 else 1.0)
        Row("k", at(t), i, i * 0.5)
      }
      val batches = cut(random, all, 250) :+ Seq(Row("z", at(t + 10000.0), 0, 0.0))
      val query = asked(over(seconds)) _
      withConf(MuntinConf.StreamWarmMemory.key -> warm) {
        val found = streamed(Readings, batches, chosen(random, batches)) { df =>
          query(df.withWatermark("t", "2 seconds"))
        }
        assert(shown(found.flatten) === shown(query(table(Readings, all)).collect().toSeq))
      }
    }

  test("without stored rows, the state has no bytes") {
    var bytes = Seq.empty[Long]
    val answers = streamed(
      Readings,
      batches(end(100000L), end(200000L)),
      seen = p => bytes = bytes ++ metric(p, "stateBytes")
    )(df => asked(over(1500))(df.withWatermark("t", "10 seconds")))
    assert(answers.nonEmpty)
    // The last row waits, in its group's head.
    assert(bytes.max > 50000L && bytes.last < 300L, bytes)
  }

  test("a task that fails releases the memory of its groups") {
    val groups = Seq.tabulate(50)(k => Row(s"k$k", at(100L), 0, 1.0))
    var taken = 0L
    withConf(MuntinConf.StreamOrder.key -> "arrival", "spark.sql.shuffle.partitions" -> "1") {
      val error = intercept[StreamingQueryException] {
        streamed(
          Readings,
          Seq(groups, Seq(Row("k7", at(99L), 0, 1.0))),
          seen = _ => taken = WarmStore.bytes
        )(asked(over(1500)))
      }
      assertCondition(error, "MUNTIN_ROW_OUT_OF_ORDER")
    }
    // About eight kilobytes each, in addition to its rows.
    assert(WarmStore.bytes <= taken - 50L * 8192L)
  }
}

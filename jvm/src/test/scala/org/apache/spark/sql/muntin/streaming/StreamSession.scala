package org.apache.spark.sql.muntin.streaming

import java.nio.file.Files

import scala.collection.mutable

import org.apache.spark.sql.{Dataset => AnyDataset, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}
import org.apache.spark.sql.types.StructType

/** Streams of rows that a test gives, micro-batch by micro-batch, and what comes out of a query over them. */
trait StreamSession extends MuntinSession {
  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stopTimeout" -> "60s"
  )

  /**
   * What comes out of `query` over a stream of `batches`, after each of them and at the end; `restarts` are the numbers of
   * batches before which the query is stopped and started again from its checkpoint.
   */
  protected final def streamed(
      schema: StructType,
      batches: Seq[Seq[Row]],
      restarts: Set[Int] = Set.empty,
      seen: StreamingQueryProgress => Unit = _ => (),
      outputMode: String = "append"
  )(query: DataFrame => DataFrame): Seq[Seq[Row]] = {
    val checkpoint = Files.createTempDirectory("muntin-stream").toString
    val source = MemoryStream[Row](ExpressionEncoder(schema, lenient = true), spark)
    // By the number that Spark gives to a micro-batch: one that runs again comes out once.
    val byBatch = mutable.TreeMap.empty[Long, Seq[Row]]
    // An encoder knows no collations.
    def rows: DataFrame = {
      val made = source.toDF()
      made.select(schema.map(f => made(f.name).cast(f.dataType).as(f.name)): _*)
    }
    def start(): StreamingQuery =
      query(rows).writeStream
        .option("checkpointLocation", checkpoint)
        .outputMode(outputMode)
        .foreachBatch { (rows: AnyDataset[Row], id: Long) =>
          val all = rows.collect().toSeq
          byBatch.synchronized(byBatch(id) = all)
        }
        .start()
    var running = start()
    val results = mutable.ArrayBuffer.empty[Seq[Row]]
    // A micro-batch without rows may still run when all rows have been processed.
    var counted = -1L
    def newest(): Seq[Row] = byBatch.synchronized {
      val next = byBatch.rangeFrom(counted + 1L)
      counted = byBatch.lastOption.fold(-1L)(_._1)
      next.values.flatten.toSeq
    }
    try
      batches.zipWithIndex.foreach { case (rows, i) =>
        if (restarts.contains(i)) {
          running.stop()
          running = start()
        }
        source.addData(rows)
        running.processAllAvailable()
        running.recentProgress.foreach(seen)
        results += newest()
      }
    finally running.stop()
    results += newest()
    results.toSeq
  }
}

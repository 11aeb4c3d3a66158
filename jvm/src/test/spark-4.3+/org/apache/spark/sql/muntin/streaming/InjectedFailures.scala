package org.apache.spark.sql.muntin.streaming

import java.io.ObjectOutputStream
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{functions, Encoder, Encoders, SparkSession}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager

/**
 * Failures of a query that a test injects. Each fails once:
 *
 *     reaches(x)           a filter on the source's rows fails at the n-th row
 *     emits(x)             a filter on the results fails at the n-th result
 *     fragile_count(x)     an aggregate fails when the n-th state is written
 *     FailingFiles         a file of the checkpoint is not created
 */
object InjectedFailures {
  private val thrown = new AtomicBoolean

  /** Returns true if a failure has happened since `clear`. */
  def haveHappened: Boolean = thrown.get

  def fail(): Nothing = {
    thrown.set(true)
    throw new IllegalStateException("injected failure")
  }

  /** Fails at the n-th call after `failAt(n)`. */
  final class Countdown {
    private val left = new AtomicInteger

    def failAt(call: Int): Unit = left.set(call)

    def apply(): Unit =
      if (left.get > 0 && left.decrementAndGet() == 0) fail()
  }

  val ofRows = new Countdown
  val ofResults = new Countdown
  val ofStates = new Countdown

  /** A file whose path this accepts is not created. */
  @volatile var isLost: String => Boolean = noFile

  private def noFile: String => Boolean = _ => false

  def clear(): Unit = {
    Seq(ofRows, ofResults, ofStates).foreach(_.failAt(0))
    isLost = noFile
    thrown.set(false)
  }

  def register(spark: SparkSession): Unit = {
    spark.udf.register("reaches", (_: String) => { ofRows(); true }): Unit
    spark.udf.register("emits", (_: Long) => { ofResults(); true }): Unit
    spark.udf.register("fragile_count", functions.udaf(FragileCount, Encoders.scalaLong)): Unit
  }

  /** How often a state of `fragile_count` has been written. */
  val statesWritten = new AtomicInteger

  final class Counter(val count: Long) extends Serializable {
    private def writeObject(out: ObjectOutputStream): Unit = {
      statesWritten.incrementAndGet(): Unit
      ofStates()
      out.defaultWriteObject()
    }
  }

  object FragileCount extends Aggregator[Long, Counter, Long] {
    override def zero: Counter = new Counter(0L)
    override def reduce(counter: Counter, value: Long): Counter = new Counter(counter.count + 1L)
    override def merge(a: Counter, b: Counter): Counter = new Counter(a.count + b.count)
    override def finish(counter: Counter): Long = counter.count
    override def bufferEncoder: Encoder[Counter] = Encoders.javaSerialization[Counter]
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }
}

/** Files of a checkpoint, which `InjectedFailures` may lose. */
final class FailingFiles(folder: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(folder, conf) {

  override def renameTempFile(from: Path, to: Path, overwrite: Boolean): Unit = {
    if (InjectedFailures.isLost(to.toString)) {
      // Spark rejects a checkpoint without a batch if a file is left in it.
      delete(from)
      InjectedFailures.fail()
    }
    super.renameTempFile(from, to, overwrite)
  }
}

package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}

/** What a stateful operator computes; planned on the driver, and sent to the tasks. */
trait StreamJob extends Serializable {

  /** The function or clause that runs, for errors and EXPLAIN. */
  def name: String

  /** The columns of the group. */
  def keys: Seq[Attribute]

  /** The row time: a column of the input; in the order of time it has a watermark. */
  def time: Attribute

  /** Reads the row time. */
  final def timeNumber: TimeNumber =
    new TimeNumber(time.dataType, input.indexWhere(_.exprId == time.exprId))

  /** The order of a group's rows; the row time comes first. Equal rows stay as they came. */
  def order: Seq[SortOrder]

  def input: Seq[Attribute]

  def output: Seq[Attribute]

  /** The columns of the input that are none of the keys. */
  final def besidesKeys: Seq[Attribute] =
    input.filterNot(a => keys.exists(_.exprId == a.exprId))

  /** The columns, besides the keys, that a row needs when it arrives again. */
  def kept: Seq[Attribute]

  /** Whether rows are kept one by one; else all rows from the kernel's floor on. */
  def scatters: Boolean = false

  /**
   * Whether marks come beside the rows: times at which the windows of every group are cut. A group
   * that is not done is visited whenever there are marks.
   */
  def isMarked: Boolean = false

  /** Whether all rows are one group, in the state of one partition. */
  def isSingle: Boolean = false

  /** The column that says what a result revises, after the output, where the query asks for it. */
  def revision: Option[Attribute] = None

  /**
   * How results are known from revision to revision; None where results come out once, whatever the
   * output mode.
   */
  def known: Option[ResultIdentity] = None

  /** The same, of a job that has it. */
  final def identity: ResultIdentity =
    known.getOrElse(throw new IllegalStateException(s"no revisions of $name"))

  /** How EXPLAIN shows it. */
  def title: String = name

  /** What the job computes: a checkpoint of another query is refused by it. */
  def fingerprint: Seq[(String, String)]

  /**
   * How long after its time a result comes out at most, in microseconds; None where this is not
   * known.
   */
  def delay: Option[Long]

  /**
   * Returns true if a row at the watermark goes to the kernel at once, although others of its time
   * may follow: it closes open windows, and kernels accept rows of one time one after the other.
   */
  def takesRowsAtBound: Boolean = false

  /** Whether results come out in the order of their times, over all groups. */
  def isInOrder: Boolean = true

  /** Whether the query says that open windows come out at the end of the stream. */
  def drain: Option[Boolean] = None

  /** Whether the newest row of the stream says which windows come out at the end. */
  def endsByNewest: Boolean = false

  /** Whether the clock may close windows. */
  def hasClosing: Boolean = false

  /**
   * Where the clock may close windows: the end of the last window that a row at `time` opens, where
   * windows until `openUntil` are open; None where it opens none.
   */
  def lastEnd(time: Long, openUntil: Long): Option[Long] = None

  /** Makes kernels; one thread uses them, one after the other. */
  def kernels(): StreamJob.Kernels
}

object StreamJob {
  trait Kernels {
    def make(memory: Memory): StreamKernel
  }
}

package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.types.DataType

/** The computation of a stateful operator. The driver plans it and sends it to the tasks. */
trait StreamJob extends Serializable {

  /** Returns the function or clause that runs, for errors and EXPLAIN. */
  def name: String

  /** Returns the columns of the group. */
  def keys: Seq[Attribute]

  /** Returns the row time: a column of the input; in the order of time it has a watermark. */
  def time: Attribute

  /** Returns the reader of the row time. */
  final def timeNumber: TimeNumber = numberOf(time)

  /**
   * Returns the time at which a row arrives in its group, if it differs from the row time. In the
   * order `group` it advances the time of the group: a row is buffered until the group has a row
   * that arrives after the row's time. Rows that the kernel keeps are not buffered.
   */
  def arrival: Option[Attribute] = None

  /** Returns the column that orders the rows of a group when they arrive. */
  final def arrivalTime: Attribute = arrival.getOrElse(time)

  /** Returns the reader of `arrivalTime`. */
  final def arrivalNumber: TimeNumber = numberOf(arrivalTime)

  private def numberOf(column: Attribute): TimeNumber =
    new TimeNumber(column.dataType, input.indexWhere(_.exprId == column.exprId))

  /** Returns the order of a group's rows, the row time first. The order is stable. */
  def order: Seq[SortOrder]

  def input: Seq[Attribute]

  def output: Seq[Attribute]

  /** Returns the columns of the input that are not keys. */
  final def nonKeyColumns: Seq[Attribute] =
    input.filterNot(a => keys.exists(_.exprId == a.exprId))

  /** Returns the columns, besides the keys, that a row needs when it arrives again. */
  def retainedColumns: Seq[Attribute]

  /**
   * Returns true if the state keeps single rows; else it keeps all rows from the kernel's floor on.
   */
  def scatters: Boolean = false

  /**
   * Returns true if the job also receives marks: times that cut the windows of every group. Marks
   * cause a visit of each group that is not done.
   */
  def isMarked: Boolean = false

  /** Returns true if all rows are one group, in the state of one partition. */
  def isSingle: Boolean = false

  /**
   * Returns the column that describes the revision, which follows the output, if the query requests
   * it.
   */
  def revision: Option[Attribute] = None

  /**
   * Returns the identity of results from revision to revision; None if each result is emitted once,
   * in every output mode.
   */
  def resultIdentity: Option[ResultIdentity] = None

  /** Returns `resultIdentity`, and fails if it is absent. */
  final def identity: ResultIdentity =
    resultIdentity.getOrElse(throw new IllegalStateException(s"no revisions of $name"))

  /**
   * Returns, for each function, the types of the columns of its buffer that the state contains as
   * an UnsafeRow; empty if it contains none.
   */
  def savedBuffers: Seq[Seq[DataType]] = Nil

  /** Returns how long a group lives without a row; None if it does not end. */
  def ttl: Option[GroupTtl] = None

  /** Returns the job's title in EXPLAIN. */
  def title: String = name

  /**
   * Returns the properties of the computation: a job with another fingerprint rejects the
   * checkpoint.
   */
  def fingerprint: Seq[(String, String)]

  /**
   * Returns the greatest delay from a result's time to its emission, in microseconds; None if it is
   * unknown.
   */
  def delay: Option[Long]

  /**
   * Returns true if a row at the watermark goes to the kernel at once, although others of its time
   * may follow: it closes open windows, and kernels accept rows of one time one after the other.
   */
  def takesRowsAtBound: Boolean = false

  /** Returns true if results are emitted in the order of their times, over all groups. */
  def emitsInTimeOrder: Boolean = true

  /**
   * Returns the query's `drain` argument, if any: whether open windows are emitted at the end of
   * the stream.
   */
  def drain: Option[Boolean] = None

  /** Returns true if the newest row of the stream decides which windows are emitted at the end. */
  def endsByNewest: Boolean = false

  /** Returns true if the clock may close windows. */
  def hasClosing: Boolean = false

  /**
   * If the clock may close windows: returns the end of the last window that a row at `time` opens,
   * while windows until `openUntil` are open; None if the row opens no window.
   */
  def lastEnd(time: Long, openUntil: Long): Option[Long] = None

  /** Makes kernels. One thread uses them, one after the other. */
  def kernels(): StreamJob.Kernels
}

object StreamJob {
  trait Kernels {
    def make(memory: Memory): StreamKernel
  }
}

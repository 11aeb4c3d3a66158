package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}

/** What a stateful operator computes, as planning has it: sent to the tasks. */
trait StreamJob extends Serializable {

  /** The function or clause that it runs, for errors and EXPLAIN. */
  def name: String

  /** The columns of the group. */
  def keys: Seq[Attribute]

  /** The row time: a column of the input, with a watermark. */
  def time: Attribute

  /**
   * The order of a group's rows; the row time is first. Rows that it does not tell apart go as they
   * come.
   */
  def order: Seq[SortOrder]

  def input: Seq[Attribute]

  def output: Seq[Attribute]

  /** The columns of the input that are none of the group. */
  final def besidesKeys: Seq[Attribute] =
    input.filterNot(a => keys.exists(_.exprId == a.exprId))

  /** The columns, besides the keys, that a row has to have when it arrives again. */
  def kept: Seq[Attribute]

  /** Rows are kept each for itself, not all from one on. */
  def scatters: Boolean = false

  /**
   * Marks come beside the rows, times at which windows of every group are cut: a group that is not
   * done is looked at whenever there is one.
   */
  def isMarked: Boolean = false

  /** All rows are one group, and the state of one partition is all. */
  def isSingle: Boolean = false

  /** How EXPLAIN shows it. */
  def title: String = name

  /** What it computes, by which a checkpoint of another query is known. */
  def fingerprint: Seq[(String, String)]

  /**
   * How long after its time a result comes out, in microseconds, at most; None where nobody can
   * tell.
   */
  def delay: Option[Long]

  /** What of time has ended by the clock, where it shows `clock`: rows before that are late. */
  def closedBy(clock: Long): Option[Long] = None

  /** Makes kernels, of which one thread uses one after the other. */
  def kernels(): StreamJob.Kernels

  /** What is wrong with a row without a time, where that is no column of the query's own. */
  def withoutTime(row: UnsafeRow): Option[Throwable] = None
}

object StreamJob {
  trait Kernels {
    def make(memory: Memory): StreamKernel
  }
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The rows of a group that have to arrive again, from one micro-batch to the next. */
abstract class GroupRows {

  /** A group of which nothing is known. */
  def start(group: Array[Byte]): Unit

  /**
   * The rows that were written, each with its position; the head, in which the newest are, comes to
   * `in`.
   */
  def read(group: Array[Byte], in: StateInput, arrive: (Long, UnsafeRow) => Unit): Unit

  /** The row that has come to the kernel last. */
  def add(row: UnsafeRow, kernel: StreamKernel): Unit

  /** Lets go of what the kernel needs no more: before `count` and `write`. */
  def dropUnneeded(kernel: StreamKernel): Unit

  /** How many rows there are. */
  def count: Long

  /** What it takes in memory, in bytes. */
  def memory: Long

  /** Writes the newest to the head. */
  def write(out: StateOutput): Unit

  /** Nothing of the group is needed any more. */
  def drop(): Unit
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that have to arrive again in a later micro-batch. Where the kernel keeps all
 * rows from its floor on, they are KeptRows; where it keeps rows one by one, ScatteredRows.
 *
 *     a micro-batch   start, or read: kept rows arrive again;  add (each new row);
 *                     dropUnneeded;  count, write, or drop (nothing of the group is kept)
 */
abstract class GroupRows {

  /** A group of which the state holds nothing. */
  def start(group: Array[Byte]): Unit

  /**
   * Reads the rows that were written, each with its position. `in` is the group's head, in which
   * the newest rows are.
   */
  def read(group: Array[Byte], in: StateInput, arrive: (Long, UnsafeRow) => Unit): Unit

  /** Adds the row that has arrived last at the kernel. */
  def add(row: UnsafeRow, kernel: StreamKernel): Unit

  /** Drops the rows that the kernel no longer needs: before `count` and `write`. */
  def dropUnneeded(kernel: StreamKernel): Unit

  /** How many rows there are. */
  def count: Long

  /** How many bytes the rows take in memory. */
  def memory: Long

  /** Writes the newest rows to the head. */
  def write(out: StateOutput): Unit

  /** Nothing of the group is kept. */
  def drop(): Unit
}

package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.{HashMap => JavaHashMap, LinkedHashMap}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Identifies a result of a group: by these values, and by its number, from 0, among the results
 * that agree in them.
 */
private[streaming] final case class ResultId(values: UnsafeRow, number: Int)

/**
 * The answers emitted for a group's results that may still change. The state stores them.
 *
 * {{{
 *   validity, rows [0, 10) and [5, 15)      [0, 5) 1    [5, 10) 2    [10, 15) 1
 *   the watermark reaches 5               [5, 10) 2   [10, 15) 1
 * }}}
 */
private[streaming] final class EmittedResults {

  /** The latest answer of each result, in the order in which the final results will be emitted. */
  var open = new LinkedHashMap[ResultId, UnsafeRow]

  /** How many final results with these values have been emitted, if there may be more. */
  val counts = new JavaHashMap[UnsafeRow, Int]

  def clear(): Unit = {
    open.clear()
    counts.clear()
  }

  /** Returns how many bytes they take in memory. */
  def memory: Long = {
    var bytes = 0L
    open.forEach((id, row) =>
      bytes += EmittedResults.OfAResult + row.getSizeInBytes + id.values.getSizeInBytes
    )
    counts.forEach((values, _) => bytes += EmittedResults.OfAResult + values.getSizeInBytes)
    bytes
  }

  def write(out: DataOutput): Unit = {
    out.writeInt(open.size)
    open.forEach { (id, row) =>
      out.writeInt(id.number)
      EmittedResults.write(id.values, out)
      EmittedResults.write(row, out)
    }
    out.writeInt(counts.size)
    counts.forEach { (values, count) =>
      out.writeInt(count)
      EmittedResults.write(values, out)
    }
  }

  /** Reads what `write` wrote: rows of `columns` columns, which `values` values identify. */
  def read(in: DataInput, values: Int, columns: Int): Unit = {
    clear()
    (0 until in.readInt()).foreach { _ =>
      val number = in.readInt()
      val id = ResultId(EmittedResults.read(in, values), number)
      open.put(id, EmittedResults.read(in, columns))
    }
    (0 until in.readInt()).foreach { _ =>
      val count = in.readInt()
      counts.put(EmittedResults.read(in, values), count)
    }
  }
}

private object EmittedResults {

  /** Roughly how many bytes a result takes besides its values. */
  val OfAResult = 128L

  def write(row: UnsafeRow, out: DataOutput): Unit = {
    out.writeInt(row.getSizeInBytes)
    out.write(row.getBytes)
  }

  def read(in: DataInput, fields: Int): UnsafeRow = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    row
  }
}

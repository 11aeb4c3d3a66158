package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util.{HashMap => JavaHashMap, LinkedHashMap}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The result that is known by these values, of the results of a group that agree in them the one
 * with this number, from 0.
 */
private[streaming] final case class ResultId(values: UnsafeRow, number: Int)

/**
 * What has been said of a group's results that may still change; kept in the state.
 *
 * {{{
 *   validity, rows [0, 10) and [5, 15)      [0, 5) 1    [5, 10) 2    [10, 15) 1
 *   the watermark comes to 5                [5, 10) 2   [10, 15) 1
 * }}}
 */
private[streaming] final class SaidResults {

  /** The results as they were said last, in the order in which they will come out. */
  var open = new LinkedHashMap[ResultId, UnsafeRow]

  /** How many results with these values have come out for good, where there may be more. */
  val counts = new JavaHashMap[UnsafeRow, Int]

  def clear(): Unit = {
    open.clear()
    counts.clear()
  }

  /** How many bytes they take in memory. */
  def memory: Long = {
    var bytes = 0L
    open.forEach((id, row) =>
      bytes += SaidResults.OfAResult + row.getSizeInBytes + id.values.getSizeInBytes
    )
    counts.forEach((values, _) => bytes += SaidResults.OfAResult + values.getSizeInBytes)
    bytes
  }

  def write(out: DataOutput): Unit = {
    out.writeInt(open.size)
    open.forEach { (id, row) =>
      out.writeInt(id.number)
      SaidResults.write(id.values, out)
      SaidResults.write(row, out)
    }
    out.writeInt(counts.size)
    counts.forEach { (values, count) =>
      out.writeInt(count)
      SaidResults.write(values, out)
    }
  }

  /** Reads what `write` wrote: rows of `columns` columns, which are known by `values` values. */
  def read(in: DataInput, values: Int, columns: Int): Unit = {
    clear()
    (0 until in.readInt()).foreach { _ =>
      val number = in.readInt()
      val id = ResultId(SaidResults.read(in, values), number)
      open.put(id, SaidResults.read(in, columns))
    }
    (0 until in.readInt()).foreach { _ =>
      val count = in.readInt()
      counts.put(SaidResults.read(in, values), count)
    }
  }
}

private object SaidResults {

  /** About how many bytes a result takes besides its values. */
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

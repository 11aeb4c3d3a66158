package org.apache.spark.sql.muntin.execution

import java.util.Arrays

import io.muntin.kernel._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Aggregates rows by their pane, some thousands at a time: their values lie in columns, the rows of a pane
 * are brought together by number, and each pane goes through the accumulators in turn. Nothing is kept from
 * one such chunk to the next, so the memory is that of a chunk, whatever the number of panes.
 *
 * Cost per row: one look into a table of keys, one store per column, one step of each accumulator.
 */
final class PaneKernel(
    pane: Seq[Expression],
    functions: Seq[FunctionPlan],
    childOutput: Seq[Attribute],
    memory: Memory
) {
  private val columns = new InputColumns(childOutput, memory)
  private val key = UnsafeProjection.create(pane, childOutput)
  private val table = new KeyTable(pane.size, memory)
  private val frame = new Frame
  private val feed = columns.feed

  memory.acquire(PaneKernel.ChunkRows * 8L)
  // The pane of each row, and the rows by pane.
  private val panes = new Array[Int](PaneKernel.ChunkRows)
  private val byPane = new Array[Int](PaneKernel.ChunkRows)
  private val ends = new Array[Int](PaneKernel.ChunkRows)
  private var rows = 0
  private var current = 0

  def startChunk(): Unit = {
    columns.clear()
    table.clear()
    rows = 0
    current = 0
  }

  def isFull: Boolean = rows == PaneKernel.ChunkRows

  def arrive(row: UnsafeRow): Unit = {
    panes(rows) = table.number(key(row))
    feed(row)
    rows += 1
  }

  /** After the last row of the chunk. */
  def endChunk(): Unit = {
    val count = table.size
    Arrays.fill(ends, 0, count, 0)
    var i = 0
    while (i < rows) {
      ends(panes(i)) += 1
      i += 1
    }
    var sum = 0
    i = 0
    while (i < count) {
      val size = ends(i)
      ends(i) = sum
      sum += size
      i += 1
    }
    i = 0
    while (i < rows) {
      byPane(ends(panes(i))) = i
      ends(panes(i)) += 1
      i += 1
    }
  }

  def hasNext: Boolean = current < table.size

  /** The next pane's key, whose results are written to `target`; valid until the next call. */
  def next(target: InternalRow): UnsafeRow = {
    val from = if (current == 0) 0 else ends(current - 1)
    frame.write(byPane, from, ends(current), target)
    current += 1
    table(current - 1)
  }

  private final class Frame extends MotionFrame {
    override def memory: Memory = PaneKernel.this.memory

    override protected def columns: InputColumns = PaneKernel.this.columns

    override val motion: PaneMotion = new PaneMotion

    private val outputs = functions.zipWithIndex.map { case (f, i) => f.build(this, i) }.toArray

    def write(positions: Array[Int], from: Int, until: Int, target: InternalRow): Unit = {
      motion.become(positions, from, until)
      var i = 0
      while (i < outputs.length) {
        outputs(i).write(target)
        i += 1
      }
    }

    override def peers(order: Seq[SortOrder]): LongColumn = none
    override def ranking: Ranking = none
    override def currentColumn(expression: Expression): Column = none
    override def currentRow: Long = none
    override def counted: Option[LongColumn] = None

    private def none: Nothing =
      throw new UnsupportedOperationException("a pane has no row of its own")
  }
}

object PaneKernel {
  val ChunkRows: Int = 1 << 17
}

package io.muntin.benchmarks

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn, Slots}
import io.muntin.kernel.distinct.Tally
import io.muntin.kernel.extremes.ScatteredExtreme
import io.muntin.kernel.memory.{Memory, PageStore, Paging}
import io.muntin.kernel.merging.{AlignedBlocks, AlignedTree, Partials}
import io.muntin.kernel.ranks.{SortedBlocks, SortedKeys}
import java.io.{DataInput, DataOutput}
import java.util.{HashMap, Random}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/**
 * One row of a sliding frame of structures that spill: with all memory, and with a third of the
 * required memory. The disk is a map, so the benchmark measures the cost of the pages and not of
 * files. It prints the number of pages that a row has written and read.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
abstract class InMemoryAndOnDisk {
  import InMemoryAndOnDisk._

  @Param(Array("true", "false"))
  var isShort: Boolean = _

  protected final val width = 100000
  protected final val values = Array.tabulate(1 << 18)(i => (i * 0x9e3779b97f4a7c15L) >>> 34)
  private var row = 0L
  private var begun = 0L
  private val disk = new Disk

  /** The bytes of the whole structure. */
  protected def most: Long

  protected def make(memory: Memory): Unit

  protected def next(row: Long): Unit

  @Setup
  def fill(): Unit = {
    make(new Limited(if (isShort) most / 3 else Long.MaxValue / 2, new Paging(disk)))
    while (row < 3L * width) step()
    disk.written = 0L
    disk.read = 0L
    begun = row
  }

  @TearDown
  def print(): Unit = {
    val rows = (row - begun).toDouble
    println(f"pages per row: ${disk.written / rows}%.4f out, ${disk.read / rows}%.4f back")
  }

  @Benchmark
  @OperationsPerInvocation(Rows)
  def rows(): Unit = {
    var i = 0
    while (i < Rows) {
      step()
      i += 1
    }
  }

  private def step(): Unit = {
    next(row)
    row += 1L
  }

  protected final def value(row: Long): Long = values(row.toInt & (values.length - 1))
}

object InMemoryAndOnDisk {
  final val Rows = 4096

  final class Disk extends PageStore {
    private val pages = new HashMap[Long, Array[Byte]]
    private var places = 0L
    var written = 0L
    var read = 0L

    override def write(bytes: Array[Byte], inMemory: Long): Long = {
      pages.put(places, bytes)
      written += 1
      places += 1
      places - 1
    }

    override def read(place: Long): Array[Byte] = {
      read += 1
      pages.get(place)
    }

    override def free(place: Long): Unit = pages.remove(place): Unit
  }

  /** A fixed number of bytes; other consumers release memory for larger requests, as in a task. */
  final class Limited(bytes: Long, pages: Paging) extends Memory {
    private var used = 0L

    override def paging: Option[Paging] = Some(pages)

    override def tryAcquire(size: Long): Boolean = {
      val isGranted = used + size <= bytes
      if (isGranted) used += size
      isGranted
    }

    override def acquire(size: Long): Unit = {
      while (used + size > bytes && pages.giveUp()) ()
      used += size
    }

    override def release(size: Long): Unit = used -= size
  }

  /** The least and the greatest value, as an aggregate that can only be merged. */
  final class Ranges(column: LongColumn) extends Partials[Array[Long]] {
    private var least = 0L
    private var greatest = 0L

    override def zero(): Unit = {
      least = Long.MaxValue
      greatest = Long.MinValue
    }

    override def update(position: Long): Unit = {
      val value = column(position)
      least = math.min(least, value)
      greatest = math.max(greatest, value)
    }

    override def freeze(): Array[Long] = Array(least, greatest)

    override def thaw(frozen: Array[Long]): Unit = {
      least = frozen(0)
      greatest = frozen(1)
    }

    override def merge(frozen: Array[Long]): Unit = {
      least = math.min(least, frozen(0))
      greatest = math.max(greatest, frozen(1))
    }

    override def sizeOf(frozen: Array[Long]): Long = 32L

    override def write(frozen: Array[Long], out: DataOutput): Unit = {
      out.writeLong(frozen(0))
      out.writeLong(frozen(1))
    }

    override def read(in: DataInput): Array[Long] = Array(in.readLong(), in.readLong())

    override def updatesMerged: Boolean = true
  }
}

/** The value of the middle rank. */
class MedianOnDisk extends InMemoryAndOnDisk {
  private var keys: SortedKeys = _
  var middle = 0L
  override protected def most: Long = 12L * width
  override protected def make(memory: Memory): Unit =
    keys = new SortedKeys(memory, SortedBlocks.BlockSize)
  override protected def next(row: Long): Unit = {
    keys.add(value(row))
    if (row >= width) keys.remove(value(row - width)): Unit
    middle = keys(keys.size / 2)
  }
}

/** Two reads and a write of a column that looks back. */
class ColumnOnDisk extends InMemoryAndOnDisk {
  private var column: DoubleColumn = _
  private var oldest = 0L
  var sum = 0.0
  override protected def most: Long = 16L * width
  override protected def make(memory: Memory): Unit = {
    column = new DoubleColumn(memory, nullable = true)
    column.spillTo(memory.paging.get)
    column.addReader(new Column.Reader { override def floor: Long = oldest })
  }
  override protected def next(row: Long): Unit = {
    column.append(row.toDouble)
    sum += column(row)
    if (row >= width) {
      sum -= column(oldest)
      oldest += 1
    }
  }
}

/** Aligned blocks of a sliding frame. */
class BlocksOnDisk extends InMemoryAndOnDisk {
  private var column: LongColumn = _
  private var blocks: AlignedBlocks[Array[Long]] = _
  private var oldest = 0L
  override protected def most: Long = 55L * width / 16
  override protected def make(memory: Memory): Unit = {
    column = new LongColumn(Memory.Unlimited, nullable = false)
    column.addReader(new Column.Reader { override def floor: Long = oldest })
    blocks = new AlignedBlocks(memory, new InMemoryAndOnDisk.Ranges(column))
  }
  override protected def next(row: Long): Unit = {
    column.append(value(row))
    blocks.enter(row, row + 1)
    if (row >= width) {
      oldest += 1
      blocks.leave(oldest - 1, oldest)
    }
    if (row % 16 == 0) blocks.refresh()
  }
}

/** Rows in slots, in a tree of partials; a random row leaves. */
class TreeOnDisk extends InMemoryAndOnDisk {
  private var source: LongColumn = _
  private var slots: Slots = _
  private var tree: AlignedTree[Array[Long]] = _
  private val there = new Array[Int](width)
  private val random = new Random(7)
  private var oldest = 0L
  override protected def most: Long = 40L * width
  override protected def make(memory: Memory): Unit = {
    source = new LongColumn(Memory.Unlimited, nullable = false)
    source.addReader(new Column.Reader { override def floor: Long = oldest })
    slots = new Slots(memory)
    val column = slots.column(source).asInstanceOf[LongColumn]
    tree = new AlignedTree(memory, new InMemoryAndOnDisk.Ranges(column), slots)
  }
  override protected def next(row: Long): Unit = {
    source.append(value(row))
    oldest = row
    val at = if (row < width) row.toInt else random.nextInt(width)
    if (row >= width) {
      tree.leave(there(at).toLong, there(at) + 1L)
      slots.give(there(at))
    }
    val slot = slots.take(row)
    tree.enter(slot.toLong, slot + 1L)
    there(at) = slot
    tree.refresh()
  }
}

/** The maximum of rows in slots; a random row leaves. */
class ScatteredMaxOnDisk extends InMemoryAndOnDisk {
  private var source: LongColumn = _
  private var slots: Slots = _
  private var greatest: ScatteredExtreme = _
  private val there = new Array[Int](width)
  private val random = new Random(7)
  private var oldest = 0L
  override protected def most: Long = 30L * width
  override protected def make(memory: Memory): Unit = {
    source = new LongColumn(Memory.Unlimited, nullable = false)
    source.addReader(new Column.Reader { override def floor: Long = oldest })
    slots = new Slots(memory)
    val column = slots.column(source)
    greatest = new ScatteredExtreme(memory, slots, column, column, 1, latest = false)
  }
  override protected def next(row: Long): Unit = {
    source.append(value(row))
    oldest = row
    val at = if (row < width) row.toInt else random.nextInt(width)
    if (row >= width) {
      greatest.leave(there(at).toLong, there(at) + 1L)
      slots.give(there(at))
    }
    val slot = slots.take(row)
    greatest.enter(slot.toLong, slot + 1L)
    there(at) = slot
  }
}

/** Distinct values; almost all occur once. */
class DistinctOnDisk extends InMemoryAndOnDisk {
  private var column: LongColumn = _
  private var tally: Tally = _
  private var oldest = 0L
  override protected def most: Long = 52L * width
  override protected def make(memory: Memory): Unit = {
    column = new LongColumn(Memory.Unlimited, nullable = false)
    column.addReader(new Column.Reader { override def floor: Long = oldest })
    tally = new Tally(memory, Array(column), None, skipsNulls = true, evicts = true)
  }
  override protected def next(row: Long): Unit = {
    column.append(value(row))
    if (row >= width) {
      tally.leave(oldest, oldest + 1)
      oldest += 1
    }
    tally.enter(row, row + 1)
  }
}

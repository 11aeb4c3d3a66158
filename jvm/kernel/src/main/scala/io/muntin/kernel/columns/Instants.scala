package io.muntin.kernel.columns

/**
 * Copies of a few times that are compared repeatedly, so each is read from its column once: longs
 * if the columns hold longs, else cells of a column of the same kind.
 *
 * Cost: `load` costs one copy of a value, and a comparison of two longs two nanoseconds. Guarded by
 * ValidityMotionSuite.
 */
private[kernel] abstract class Instants {

  /** Loads the value at `position`, which is not null. */
  def load(instant: Int, column: Column, position: Long): Unit

  /** Copies `source` to `target`. */
  def copy(target: Int, source: Int): Unit

  def compare(left: Int, right: Int): Int

  /** Overwrites a value in a column of the same kind. */
  def write(instant: Int, column: Column, position: Long): Unit

  def close(): Unit
}

private[kernel] object Instants {

  /** Returns `n` instants of the same kind as `column`. */
  def apply(column: Column, size: Int): Instants = column match {
    case _: LongColumn => new Longs(size)
    case other => new Cells(other, size)
  }

  private final class Longs(size: Int) extends Instants {
    private val values = new Array[Long](size)

    override def load(instant: Int, column: Column, position: Long): Unit =
      values(instant) = column.asInstanceOf[LongColumn](position)

    override def copy(target: Int, source: Int): Unit = values(target) = values(source)

    override def compare(left: Int, right: Int): Int =
      java.lang.Long.compare(values(left), values(right))

    override def write(instant: Int, column: Column, position: Long): Unit =
      column.asInstanceOf[LongColumn](position) = values(instant)

    override def close(): Unit = ()
  }

  private final class Cells(like: Column, size: Int) extends Instants {
    private val cells = like.cells(size)

    override def load(instant: Int, column: Column, position: Long): Unit =
      cells.set(instant.toLong, column, position)

    override def copy(target: Int, source: Int): Unit =
      cells.set(target.toLong, cells, source.toLong)

    override def compare(left: Int, right: Int): Int = cells.compare(left.toLong, right.toLong)

    override def write(instant: Int, column: Column, position: Long): Unit =
      column.set(position, cells, instant.toLong)

    override def close(): Unit = cells.close()
  }
}

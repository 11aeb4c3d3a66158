package io.muntin.kernel.columns

/**
 * A few times, kept beside the columns that they come from, so that what is compared again and
 * again is read once: as longs where the columns hold longs, else as cells of a column of their
 * kind.
 *
 * Cost: to load one, that of a value's copy; two nanoseconds to compare two longs. Guarded by
 * ValidityMotionSuite.
 */
private[kernel] abstract class Instants {

  /** Becomes the value at `position`, which is not null. */
  def load(instant: Int, column: Column, position: Long): Unit

  /** `target` becomes what `source` is. */
  def copy(target: Int, source: Int): Unit

  def compare(left: Int, right: Int): Int

  /** Overwrites the value of a column of the same kind. */
  def write(instant: Int, column: Column, position: Long): Unit

  def close(): Unit
}

private[kernel] object Instants {

  /** Returns `n` instants of the kind that `column` holds. */
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

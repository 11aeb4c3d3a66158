package io.muntin.kernel.sums

import scala.util.Random

import io.muntin.kernel.{AggregateState, MergeableState}
import io.muntin.kernel.columns.Column

/** Partials of series whose rows are read together with their neighbors. */
object NeighbourSeries {
  val NoDisorder: Disorder =
    (before: Long, time: Long) => new IllegalArgumentException(s"from $before to $time")

  /** Stores all rows of a column. */
  val AllRows: Column.Reader = new Column.Reader {
    override def floor: Long = 0L
  }

  /** Merges by a random tree; each partial is written and read. */
  def cut[R, F <: MergeableState[F]](rows: Seq[R], random: Random, make: () => F)(
      add: (F, R) => Unit
  ): F = {
    val made = make()
    if (rows.size <= 2) rows.foreach(add(made, _))
    else {
      val (some, others) = rows.splitAt(random.nextInt(rows.size + 1))
      if (some.isEmpty || others.isEmpty) rows.foreach(add(made, _))
      else {
        made.merge(cut(some, random, make)(add))
        if (random.nextBoolean()) made.merge(cut(others, random, make)(add))
        else others.foreach(add(made, _))
      }
    }
    val read = make()
    rows.take(1).foreach(add(read, _))
    AggregateState.ofBytes(AggregateState.toBytes(made), read)
  }
}

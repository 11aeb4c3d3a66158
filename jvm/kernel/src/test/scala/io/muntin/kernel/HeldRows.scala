package io.muntin.kernel

import scala.collection.mutable

import org.scalatest.Assertions

/** An accumulator that stores its positions, and checks that they enter and leave in order. */
final class HeldRows(evicts: Boolean) extends Accumulator with Assertions {
  private val held = mutable.Queue.empty[Long]

  def rows: Seq[Long] = held.toSeq

  override def clear(): Unit = held.clear()

  override def enter(from: Long, until: Long): Unit = {
    assert(from < until)
    assert(held.lastOption.forall(_ == from - 1), s"$from follows ${held.lastOption}")
    held ++= (from until until)
  }

  override def leave(from: Long, until: Long): Unit = {
    assert(evicts, "rows leave a window that only grows")
    (from until until).foreach(p => assert(held.dequeue() === p))
  }
}

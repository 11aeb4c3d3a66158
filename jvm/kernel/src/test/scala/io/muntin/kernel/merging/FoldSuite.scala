package io.muntin.kernel.merging

import scala.collection.mutable

import io.muntin.kernel.{Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class FoldSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import FoldSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  test("a growing frame: every row once, in order") {
    forAll(Walk.growing, Walk.growing) { (one, other) =>
      val held = new Held(Kind.longs, Memory.Unlimited, Vector(Some(-1L)))
      val listing = new Listing(held.column.asInstanceOf[LongColumn])
      val running = GrowingFold(listing)
      Seq(one -> 0L, other -> 1000L).foreach { case (walk, first) =>
        val updates = listing.updates
        Walk.foreach(walk, Seq(held), running, evicts = false)(p => held.append(Some(first + p))) {
          rows =>
            running.refresh()
            assert(listing.list === rows.map(_ + first))
            assert(listing.updates - updates === rows.size.toLong)
        }
      }
    }
  }

  test("recomputed: the rows of the frame, in order") {
    forAll(Walk.sliding, Walk.sliding) { (one, other) =>
      checkSliding(one, other)(new RecomputingFold(_))
    }
  }

  test("retracted: the rows of the frame, removed in the order in which they entered") {
    forAll(Walk.sliding, Walk.sliding) { (one, other) =>
      checkSliding(one, other)(new RetractingFold(_))
    }
  }

  test("rows do not leave a growing frame") {
    val column = new LongColumn(Memory.Unlimited, false)
    column.append(1L)
    val running = GrowingFold(new Listing(column))
    running.clear()
    running.enter(0, 1)
    assertThrows[UnsupportedOperationException](running.leave(0, 1))
  }

  private def checkSliding(one: Walk, other: Walk)(make: Listing => FrameFold): Unit = {
    val held = new Held(Kind.longs, Memory.Unlimited, Vector(Some(-1L)))
    val listing = new Listing(held.column.asInstanceOf[LongColumn])
    val fold = make(listing)
    Seq(one -> 0L, other -> 1000L).foreach { case (walk, first) =>
      Walk.foreach(walk, Seq(held), fold)(p => held.append(Some(first + p))) { rows =>
        fold.refresh()
        assert(listing.list === rows.map(_ + first))
      }
    }
  }
}

object FoldSuite {

  /** The values of its rows, in order; retracts only the oldest. */
  final class Listing(column: LongColumn) extends Retraction {
    private val rows = mutable.ArrayBuffer.empty[Long]
    var updates = 0L

    def list: Seq[Long] = rows.toSeq

    override def zero(): Unit = rows.clear()

    override def update(position: Long): Unit = {
      rows += column(position)
      updates += 1
    }

    override def retract(position: Long): Unit = {
      require(rows.head == column(position), "not the oldest")
      rows.remove(0): Unit
    }
  }
}

package io.muntin.kernel.columns

import io.muntin.kernel.{CountingMemory, MemoryPages}
import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class PositionsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import PositionsSuite._

  test("a queue, through growth and wrapping, for any rejected request") {
    forAll(Gen.listOf(step), Gen.choose(1, 6)) { (steps, refused) =>
      val memory = new CountingMemory(refused + 1)
      val positions = new Positions(memory)
      var model = Vector.empty[Long]
      var next = 0L
      steps.foreach {
        case Append(gaps) =>
          gaps.foreach { gap =>
            next += gap
            CountingMemory.retrying(positions.append(next))
            model :+= next
          }
        case Drop(share) =>
          val from = model.lift((model.size * share).toInt).getOrElse(next + 1)
          positions.dropBefore(from)
          model = model.filter(_ >= from)
        case Clear =>
          positions.clear()
          model = Vector.empty
      }
      assert(positions.size === model.size)
      assert(model.indices.map(i => positions(i.toLong)) === model)
      positions.close()
      assert(memory.held === 0L)
    }
  }

  test("dropped positions make room") {
    val memory = new CountingMemory
    val positions = new Positions(memory)
    val before = memory.held
    (0L until 10000L).foreach { p =>
      positions.append(p)
      positions.dropBefore(p - 40)
      assert(positions(0) === math.max(0L, p - 40))
    }
    assert(memory.held === before)
  }

  test("the positions in the middle are written to disk once") {
    val store = new MemoryPages
    val memory = CountingMemory.forced(store)
    val positions = new Positions(memory)
    val before = memory.held
    (0L until 10000L).foreach { p =>
      positions.append(3 * p)
      positions.dropBefore(3 * (p - 1000))
      assert(positions(0) === 3 * math.max(0L, p - 1000))
      assert(positions(positions.size - 1) === 3 * p)
    }
    assert(memory.held === before)
    assert(store.written > 1000)
    assert(store.written <= 10000 / 2)
    positions.close()
    assert(memory.held === 0L)
    assert(store.held === 0)
  }

  test("the first request is rejected") {
    val memory = new CountingMemory(1)
    assertThrows[CountingMemory.Refused](new Positions(memory))
    assert(memory.held === 0L)
  }
}

object PositionsSuite {
  sealed trait Step
  final case class Append(gaps: List[Int]) extends Step
  final case class Drop(share: Double) extends Step
  case object Clear extends Step

  val step: Gen[Step] = Gen.frequency(
    6 -> Gen.choose(0, 90).flatMap(n => Gen.listOfN(n, Gen.choose(1, 3))).map(Append(_)),
    6 -> Gen.choose(0.0, 1.1).map(Drop(_)),
    1 -> Gen.const(Clear)
  )
}

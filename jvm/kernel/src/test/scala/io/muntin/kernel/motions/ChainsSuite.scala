package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.{Accumulator, HeldRows}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.Column
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ChainsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  private type Windows = Seq[(Long, Long)]

  private def windows(lengths: Gen[Int]): Gen[Windows] = for {
    count <- Gen.choose(0, 60)
    steps <- Gen.listOfN(count, Gen.frequency(3 -> Gen.choose(0, 3), 1 -> Gen.choose(0, 40)))
    sizes <- Gen.listOfN(count, lengths)
  } yield steps.scanLeft(0)(_ + _).tail.zip(sizes).map { case (from, size) =>
    (from.toLong, from.toLong + size)
  }

  private val groups: Gen[Seq[Windows]] = for {
    lengths <- Gen.oneOf(Gen.choose(1, 5), Gen.choose(1, 100), Gen.oneOf(1, 2, 60, 61, 500))
    groups <- Gen.choose(1, 3)
    all <- Gen.listOfN(groups, windows(lengths))
  } yield all

  private final class Driven(limit: Int) extends Column.Reader {
    val held = mutable.ArrayBuffer.empty[HeldRows]
    var floor = 0L

    val chains = new Chains(
      { i =>
        assert(i === held.size)
        held += new HeldRows(evicts = true)
        val chain = new Chain(this)
        chain.drive(held(i))
        chain.startPartition()
        chain
      },
      limit
    )

    /** Each group's windows, each in a chain that contains exactly its rows. */
    def over(groups: Seq[Windows]): Unit = groups.foreach { windows =>
      floor = 0L
      chains.startGroup()
      windows.foreach { case (from, until) =>
        floor = from
        chains.evictBefore(from)
        held.foreach(h => assert(h.rows.forall(_ >= from)))
        assert(held(chains.moveTo(from, until)).rows === (from until until))
      }
    }
  }

  test("each window is in a chain that contains its rows") {
    forAll(groups, Gen.oneOf(1, 2, 3, Chains.Limit)) { (groups, limit) =>
      val driven = new Driven(limit)
      driven.over(groups)
      assert(driven.chains.size <= limit)
    }
  }

  /** By definition: the maximum number of windows that each end before the preceding window. */
  private def nesting(windows: Windows): Int = {
    val depth = new Array[Int](windows.size)
    for (i <- windows.indices; j <- 0 until i)
      if (windows(j)._2 > windows(i)._2) depth(i) = math.max(depth(i), depth(j) + 1)
    if (depth.isEmpty) 0 else depth.max + 1
  }

  test("the number of chains is minimal") {
    forAll(groups.map(_.head)) { windows =>
      val driven = new Driven(1000)
      driven.over(Seq(windows))
      assert(driven.chains.size === nesting(windows))
    }
  }

  private final class DrivenInAnyOrder(limit: Int) extends Column.Reader {
    val held = mutable.ArrayBuffer.empty[HeldRows]
    var floor = 0L

    val chains = new UnorderedChains(
      { i =>
        assert(i === held.size)
        held += new HeldRows(evicts = true)
        val chain = new Chain(this)
        chain.drive(held(i))
        chain.startPartition()
        chain
      },
      limit
    )

    /** Each group's windows as they arrive; rows are dropped when no later window contains them. */
    def over(groups: Seq[Windows]): Unit = groups.foreach { windows =>
      floor = 0L
      chains.startGroup()
      val least = windows.scanRight(Long.MaxValue)((w, least) => math.min(w._1, least))
      windows.zip(least).foreach { case ((from, until), needed) =>
        floor = needed
        chains.evictBefore(needed)
        held.foreach(h => assert(h.rows.forall(_ >= needed)))
        assert(held(chains.moveTo(from, until)).rows === (from until until))
      }
    }
  }

  test("windows in any order are each in a chain that contains their rows") {
    val shuffled = groups.flatMap { all =>
      Gen.long.map(seed => all.map(new scala.util.Random(seed).shuffle(_)))
    }
    forAll(shuffled, Gen.oneOf(1, 2, 3, Chains.Limit)) { (groups, limit) =>
      val driven = new DrivenInAnyOrder(limit)
      driven.over(groups)
      assert(driven.chains.size <= limit)
    }
  }

  test("for windows in the order of their last ends, the number of chains is minimal") {
    forAll(groups.map(_.head)) { windows =>
      val driven = new DrivenInAnyOrder(1000)
      driven.over(Seq(windows.sortBy(_.swap)))
      assert(driven.chains.size === nesting(windows))
    }
  }

  test("windows that move forward are one chain, and each row enters once") {
    val counted = new HeldRows(evicts = true)
    var entered = 0L
    val chains = new Chains(_ => {
      val chain = new Chain(new Column.Reader { override def floor: Long = 0L })
      chain.drive(counted)
      chain.drive(new Accumulator {
        override def clear(): Unit = ()
        override def enter(from: Long, until: Long): Unit = entered += until - from
        override def leave(from: Long, until: Long): Unit = ()
      })
      chain
    })
    (0L until 1000L).foreach { i =>
      chains.evictBefore(i)
      chains.moveTo(i, i + 500): Unit
    }
    assert(chains.size === 1)
    assert(entered === 1499L)
  }
}

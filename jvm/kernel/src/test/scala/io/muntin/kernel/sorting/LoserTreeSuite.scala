package io.muntin.kernel.sorting

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite

final class LoserTreeSuite extends MuntinSuite {

  /** A number and its run, in the order of a stable merge. */
  private def merged(runs: Seq[Seq[Int]]): (Seq[(Int, Int)], Int) = {
    val next = new Array[Int](runs.size)
    var comparisons = 0
    def hasRow(run: Int) = next(run) < runs(run).size
    val tree = new LoserTree(runs.size) {
      override protected def isBefore(one: Int, other: Int): Boolean = {
        comparisons += 1
        hasRow(one) && (!hasRow(other) || {
          val (left, right) = (runs(one)(next(one)), runs(other)(next(other)))
          left < right || left == right && one < other
        })
      }
    }
    val found = mutable.ArrayBuffer.empty[(Int, Int)]
    tree.begin()
    while (hasRow(tree.winner)) {
      val run = tree.winner
      found += runs(run)(next(run)) -> run
      next(run) += 1
      tree.replay()
    }
    (found.toSeq, comparisons)
  }

  private def sorted(runs: Seq[Seq[Int]]): Seq[(Int, Int)] =
    runs.zipWithIndex.flatMap { case (run, r) => run.map(_ -> r) }.sorted

  test("runs of any number and size are merged, equal rows in the order of their runs") {
    val random = new Random(7)
    for (runs <- 1 to 33) {
      val some = Seq.fill(runs)(Seq.fill(random.nextInt(20))(random.nextInt(30)).sorted)
      assert(merged(some)._1 == sorted(some), s"of $some")
    }
  }

  test("some or all runs are empty") {
    assert(merged(Seq(Nil))._1 == Nil)
    assert(merged(Seq(Nil, Nil, Nil))._1 == Nil)
    assert(merged(Seq(Nil, Seq(1, 2), Nil))._1 == Seq(1 -> 1, 2 -> 1))
  }

  test("a row costs the logarithm of the number of runs") {
    for ((runs, each) <- Seq(1 -> 0, 2 -> 1, 5 -> 3, 8 -> 3, 9 -> 4)) {
      val some = (0 until runs).map(r => (0 until 100).map(_ * runs + r))
      val (found, comparisons) = merged(some)
      assert(found.size == 100 * runs)
      assert(comparisons <= found.size * each + runs)
    }
  }
}

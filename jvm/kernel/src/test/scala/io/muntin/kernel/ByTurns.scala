package io.muntin.kernel

import org.scalatest.funsuite.AnyFunSuite

/**
 * Tests of one body, of many cases: by default each day has its own third of a suite's, and `make
 * test-long` has all.
 */
trait ByTurns extends AnyFunSuite {
  private var cases = 0

  /** A test of one of these cases; each `most`-th runs. */
  protected final def testByTurns(name: String, most: Int = 3)(body: => Any): Unit = {
    // Along the diagonals: a run of `most` cases within cases has each of them by turns, too.
    if (Cases.turn(cases + cases / most, most)) test(name)(body)
    cases += 1
  }
}

package io.muntin.kernel

/**
 * Tests that take long, and tests of one body, of many cases: in `make test` each day has its own
 * quarter of a suite's. A suite that is run by its name has all, and so has `make test-long`.
 */
trait ByTurns extends MuntinSuite {
  // Each suite begins elsewhere, so that no day has the first test of all.
  private var tests = math.floorMod(getClass.getName.hashCode, 1000)

  /** One of these tests; each `most`-th runs. */
  protected final def testByTurns(name: String, most: Int = 4)(body: => Any): Unit = {
    if (!Cases.isByTurns || ByTurns.isOn(tests, most, Cases.day)) test(name)(body)
    tests += 1
  }
}

object ByTurns {

  /**
   * Whether a test has that day, one in `most`: others after twelve days, since cases inside the test
   * may go by the days, too, and are to meet all of its own.
   */
  def isOn(number: Int, most: Int, day: Int): Boolean =
    // Along the diagonals: a run of `most` cases within cases has each of them by turns, too.
    math.floorMod(number + number / most - day / 12 - day, most) == 0
}

package io.muntin.kernel

/**
 * Suites with slow tests, or with many tests of one body. `make test` runs a sample of these tests,
 * which `MUNTIN_SEED` selects, and registers the others as ignored. A suite that is run by its name
 * runs all of its tests, and so does `make test-long`.
 */
trait SampledTests extends MuntinSuite {
  // Each suite begins at another number; otherwise every sample starts with the first test.
  private var tests = math.floorMod(getClass.getName.hashCode, 1000)

  /** Registers one of these tests; `make test` runs one in `most`. */
  protected final def sampledTest(name: String, most: Int = 8)(body: => Any): Unit =
    if (isNextSelected(most)) test(name)(body) else ignore(name)(body)

  /**
   * Registers a test for each of `cases`, and returns the cases whose tests run: one in `most`, and
   * the cases that every sample requires.
   */
  protected final def sampledTests[A](cases: Seq[A], most: Int, isRequired: A => Boolean)(
      name: A => String
  )(body: A => Any): Seq[A] = cases.filter { each =>
    val isSelected = isNextSelected(most) || isRequired(each)
    if (isSelected) test(name(each))(body(each)) else ignore(name(each))(body(each))
    isSelected
  }

  private def isNextSelected(most: Int): Boolean = {
    tests += 1
    !Cases.isGate || SampledTests.selects(tests - 1, most, Cases.seed)
  }
}

object SampledTests {

  /**
   * Returns true if the sample of `seed` contains the test, one in `most`. The sample also changes
   * after twelve seeds: the seed samples the cases inside a test as well, and over all seeds each
   * test runs each of its cases.
   */
  def selects(number: Int, most: Int, seed: Int): Boolean =
    // Selects along the diagonals, so that all pairs of `most` tests and `most` inner cases occur.
    math.floorMod(number + number / most - seed / 12 - seed, most) == 0
}

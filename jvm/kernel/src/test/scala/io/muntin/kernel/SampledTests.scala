package io.muntin.kernel

/**
 * Suites with slow tests, or with many tests of one body. `make test` runs a sample of these tests,
 * which `MUNTIN_SEED` chooses, and registers the others as ignored. A suite that is run by its name
 * runs all of them, and so does `make test-long`.
 */
trait SampledTests extends MuntinSuite {
  // Each suite begins at another number: otherwise every sample would start with the first test.
  private var tests = math.floorMod(getClass.getName.hashCode, 1000)

  /** Registers one of these tests, and returns true if it runs: `make test` runs one in `most`. */
  protected final def sampledTest(name: String, most: Int = 4)(body: => Any): Boolean = {
    val isSelected = !Cases.isGate || SampledTests.selects(tests, most, Cases.seed)
    if (isSelected) test(name)(body) else ignore(name)(body)
    tests += 1
    isSelected
  }
}

object SampledTests {

  /**
   * Returns true if the sample of `seed` has the test, one in `most`. The sample changes after twelve
   * seeds as well: the cases inside a test are sampled by the seed, too, and over all seeds each test
   * meets each of its cases.
   */
  def selects(number: Int, most: Int, seed: Int): Boolean =
    // Along the diagonals, so that `most` tests inside of `most` others are all selected in turn.
    math.floorMod(number + number / most - seed / 12 - seed, most) == 0
}

package io.muntin.kernel

import org.scalactic.anyvals.PosInt

/**
 * Selects tests and cases. `MUNTIN_TESTS` is `gate` under `make test` and `long` under
 * `make test-long`. `MUNTIN_SEED`, 0 by default, chooses the sample and all random values: the same
 * seed runs the same tests, in Scala and in Python.
 */
object Cases {
  private val tests = sys.env.get("MUNTIN_TESTS")

  /** True under `make test-long`, which runs all tests and all cases. */
  val isLong: Boolean = tests.contains("long")

  /** True under `make test`, which runs a sample of the slow tests. */
  val isGate: Boolean = tests.contains("gate")

  val seed: Int = sys.env.get("MUNTIN_SEED").fold(0)(_.toInt)

  // Evaluated once per process.
  println(s"MUNTIN_TESTS=${tests.getOrElse("")} MUNTIN_SEED=$seed")

  /**
   * Returns true if a case runs: one in `most`, unless all cases run. If cases differ in several
   * ways, `number` is the sum of their places in each way, so that each sample has every value of
   * every way.
   */
  def selects(number: Int, most: Int): Boolean =
    isLong || math.floorMod(number - seed, most) == 0

  /** Returns the number of random cases of a law: a third of `all`, unless all cases run. */
  def apply(all: Int): PosInt = PosInt.ensuringValid(if (isLong) all else (all + 2) / 3)
}

package io.muntin.kernel

import org.scalactic.anyvals.PosInt

/**
 * Selects tests and cases. `MUNTIN_TESTS` is `gate` under `make test` and `long` under
 * `make test-long`. `MUNTIN_SEED`, 0 by default, chooses the sample and all random values: the same
 * seed runs the same tests, in Scala and in Python.
 */
object Cases {
  private val tests = sys.env.get("MUNTIN_TESTS")

  /** `make test-long` runs: all tests and all cases. */
  val isLong: Boolean = tests.contains("long")

  /** `make test` runs: a sample of the slow tests. */
  val isGate: Boolean = tests.contains("gate")

  val seed: Int = sys.env.get("MUNTIN_SEED").fold(0)(_.toInt)

  // Once per process.
  println(s"MUNTIN_TESTS=${tests.getOrElse("")} MUNTIN_SEED=$seed")

  /**
   * Returns true if a case runs: one in `most`, unless all cases run. If cases differ in several
   * ways, `number` is the sum of their places in each: then a sample has each way of each kind.
   */
  def selects(number: Int, most: Int): Boolean =
    isLong || math.floorMod(number - seed, most) == 0

  /** The number of random cases of a law: a third of `all`, unless all cases run. */
  def apply(all: Int): PosInt = PosInt.ensuringValid(if (isLong) all else (all + 2) / 3)
}

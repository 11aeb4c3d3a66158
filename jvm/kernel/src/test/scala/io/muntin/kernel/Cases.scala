package io.muntin.kernel

import org.scalactic.anyvals.PosInt

/**
 * Which of many cases run, and how many random ones a law has: a part by default, and all of them
 * under `make test-long`. `-Dmuntin.day=n` in the test JVM's options runs what day n does.
 */
object Cases {
  private val asked = sys.env.get("MUNTIN_TESTS")

  /** `make test-long` runs. */
  val isLong: Boolean = asked.contains("long")

  /** `make test` runs, in which tests that take long have their days. */
  val isByTurns: Boolean = asked.contains("turns")

  /** The days since 1970, in UTC: all processes of a run agree but at midnight. */
  val day: Int =
    Integer.getInteger("muntin.day", (System.currentTimeMillis() / 86_400_000L).toInt).intValue

  /**
   * Whether a case runs, of many: one in `most`, by turns. Where cases differ in several ways, the
   * sum of their places in each is a number that has every way of each kind run every day.
   */
  def turn(number: Int, most: Int): Boolean = isLong || math.floorMod(number - day, most) == 0

  /** How many random cases of as many: a third, others in each run. */
  def apply(all: Int): PosInt = PosInt.ensuringValid(if (isLong) all else (all + 2) / 3)
}

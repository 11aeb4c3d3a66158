package io.muntin.kernel

/** Each test is in some samples, and each of its cases in a sample with the test. */
class SampledTestsSuite extends MuntinSuite {
  private val seeds = 0 until 96

  private def seedsOf(number: Int, most: Int): Seq[Int] =
    seeds.filter(SampledTests.selects(number, most, _))

  test("one sample in `most` has a test, and each sample has tests") {
    for (most <- 2 to 4; number <- 0 until 12)
      assert(seedsOf(number, most).size === 96 / most, s"$number, $most")
    for (most <- 2 to 4; seed <- seeds)
      assert((0 until most * most).exists(SampledTests.selects(_, most, seed)), s"$seed, $most")
  }

  test("the samples that contain a test reach every case inside it") {
    for (most <- 2 to 4; number <- 0 until 12; inside <- Seq(2, 3, 4, 6))
      assert(
        seedsOf(number, most).map(_ % inside).toSet === (0 until inside).toSet,
        s"$number, $most"
      )
  }

  test("the same seed selects the same tests on every date") {
    def selected(seed: Int) = (0 until 40).filter(SampledTests.selects(_, 4, seed))
    assert(selected(0) === Seq(0, 7, 10, 13, 16, 23, 26, 29, 32, 39))
    assert(selected(1) !== selected(0))
  }
}

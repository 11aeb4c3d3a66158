package io.muntin.kernel

/** Which days a test has, and which cases the days of a test have. */
class ByTurnsSuite extends MuntinSuite {
  private def days(number: Int, most: Int): Seq[Int] =
    (20_004 until 20_100).filter(ByTurns.isOn(number, most, _))

  test("a test has one day in so many, and each day has tests") {
    for (most <- 2 to 4; number <- 0 until 12)
      assert(days(number, most).size === 96 / most, s"$number, $most")
    for (most <- 2 to 4; day <- 20_004 until 20_100)
      assert((0 until most * most).exists(ByTurns.isOn(_, most, day)), s"$day, $most")
  }

  test("the days of a test meet every turn of the cases inside it") {
    for (most <- 2 to 4; number <- 0 until 12; inside <- Seq(2, 3, 4, 6))
      assert(days(number, most).map(_ % inside).toSet === (0 until inside).toSet, s"$number, $most")
  }
}

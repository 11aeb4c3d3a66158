package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

import io.muntin.kernel.MuntinSuite

/**
 * The number of chunks of a partition, by its size and the cores: the table of SplitCost, and
 * general properties.
 */
class SplitCostSuite extends MuntinSuite {
  private val MiB = 1L << 20
  private val GiB = 1L << 30
  private val chunkSize = 16L * MiB

  private def most(cost: SplitCost): Int = {
    val share = (cost.bytes + cost.others).toDouble / cost.cores
    math.max(1L, math.min(cost.bytes / chunkSize, math.round(cost.bytes / share))).toInt
  }

  private def chosen(cost: SplitCost, canExchange: Boolean = true): String =
    cost.choose(most(cost), canExchange) match {
      case SplitChoice(1, _) => "whole"
      case SplitChoice(n, true) => s"$n, exchanged"
      case SplitChoice(n, false) => s"$n, read"
    }

  private def row(cores: Int): Seq[String] =
    Seq(256L * MiB, 10L * GiB, 100L * GiB).map { bytes =>
      val cost = SplitCost(cores, bytes, 0L, 200)
      f"${chosen(cost)}, ${cost.seconds(cost.choose(most(cost), canExchange = true))}%.1f"
    }

  test("the table of its header") {
    assert(row(1) == Seq("whole, 5.4", "whole, 214.7", "whole, 2147.5"))
    assert(row(2) == Seq("2, read, 3.8", "2, read, 150.3", "2, read, 1503.3"))
    assert(row(16) == Seq("16, exchanged, 0.6", "16, exchanged, 21.6", "16, exchanged, 214.8"))
    assert(row(1000) == Seq("16, exchanged, 0.6", "640, exchanged, 1.1", "1000, exchanged, 8.7"))
  }

  test("a key of 100 GiB and 10 GiB of other keys, on 1,000 cores") {
    val cost = SplitCost(1000, 100L * GiB, 10L * GiB, 1000)
    assert(chosen(cost) == "909, exchanged")
    assert(chosen(cost, canExchange = false) == "3, read")
  }

  test("chunks that are not exchanged read at most three times the partition") {
    for (seed <- 1L to 2000L) {
      val random = new Random(seed)
      val cost = SplitCost(
        1 + random.nextInt(2000),
        (random.nextDouble() * 100 * GiB).toLong,
        (random.nextDouble() * 100 * GiB).toLong,
        1 + random.nextInt(10000),
        ReadTwice(random.nextBoolean(), random.nextBoolean())
      )
      val choice = cost.choose(most(cost), random.nextBoolean())
      withClue(s"seed $seed, $cost, $choice: ") {
        assert(choice.isExchanged || cost.twice.reads(choice.chunks) <= 3)
        assert(choice.chunks <= most(cost))
        assert(cost.seconds(choice) <= cost.seconds(SplitChoice.Whole))
      }
    }
  }

  test("the number of times that chunks read the partition") {
    def reads(before: Boolean, after: Boolean) = (1 to 3).map(ReadTwice(before, after).reads)
    assert(reads(before = false, after = false) == Seq(1, 2, 3))
    assert(reads(before = true, after = false) == Seq(1, 3, 5))
    assert(reads(before = false, after = true) == Seq(1, 3, 5))
    assert(reads(before = true, after = true) == Seq(1, 4, 6))
  }

  test("a chunk that reads twice is not faster than the whole partition") {
    for (cores <- Seq(2, 16, 1000)) {
      val cost = SplitCost(cores, 10L * GiB, 0L, 200, ReadTwice(before = true, after = false))
      assert(chosen(cost, canExchange = false) == "whole")
    }
  }

  test("one task exchanges the rows of one mapper") {
    assert(chosen(SplitCost(16, 10L * GiB, 0L, mappers = 1)) == "3, read")
  }

  test(
    "small partitions do not justify a stage, and blocks of many mappers are not reopened often"
  ) {
    assert(chosen(SplitCost(16, 33L * MiB, 0L, 200)) == "2, read")
    assert(chosen(SplitCost(2, 32L * MiB, 0L, 10000)) == "whole")
  }

  test("if the cores have enough work, no partition is split") {
    assert(chosen(SplitCost(2, GiB, GiB, 200)) == "whole")
    assert(SplitCost(2, GiB, GiB, 200).choose(8, canExchange = true) == SplitChoice.Whole)
  }
}

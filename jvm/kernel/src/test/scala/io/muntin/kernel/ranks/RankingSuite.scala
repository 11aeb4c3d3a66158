package io.muntin.kernel.ranks

import io.muntin.kernel.{Forgetting, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RankingSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import RankingSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  test("the ranks of rows as they arrive") {
    forAll(Gen.listOfN(2, groups)) { partitions =>
      val peers = new LongColumn(Memory.Unlimited, false)
      val ranking = new Ranking(peers)
      val forgetting = Forgetting(Kind.longs, peers, Vector(Some(-1L), Some(0L), Some(1L)))
      peers.addReader(ranking)
      partitions.foreach { sizes =>
        peers.clear()
        forgetting.startPartition()
        ranking.startPartition()
        val numbers = numbered(sizes)
        numbers.indices.foreach { p =>
          peers.append(numbers(p).toLong)
          ranking.advance(p.toLong)
          forgetting.forget(ranking.floor)
          assert(ranking.rowNumber === p + 1)
          assert(ranking.rank === numbers.count(_ < numbers(p)) + 1)
          assert(ranking.denseRank === numbers.take(p + 1).distinct.size)
        }
      }
    }
  }

  test("the ranks that need the size of the partition") {
    forAll(Gen.listOfN(2, groups), Gen.oneOf(1, 2, 3), Gen.choose(1, 40)) {
      (partitions, stride, buckets) =>
        val peers = new LongColumn(Memory.Unlimited, false)
        val ranking = new Ranking(peers)
        val forgetting = Forgetting(Kind.longs, peers, Vector(Some(-1L), Some(0L), Some(1L)))
        peers.addReader(ranking)
        partitions.foreach { sizes =>
          peers.clear()
          forgetting.startPartition()
          ranking.startPartition()
          val numbers = numbered(sizes)
          val size = numbers.size
          numbers.foreach(n => peers.append(n.toLong))
          val tiles = ntiles(size, buckets)
          numbers.indices.foreach { p =>
            ranking.advance(p.toLong)
            forgetting.forget(ranking.floor)
            val before = numbers.count(_ < numbers(p))
            assert(
              ranking.percentRank(size.toLong) ===
                (if (size == 1) 0.0 else before.toDouble / (size - 1))
            )
            // The caller need not query every row.
            if (p % stride == 0) {
              val reached = numbers.count(_ <= numbers(p))
              assert(ranking.cumeDist(size.toLong, size.toLong) === reached.toDouble / size)
            }
            assert(ranking.ntile(buckets.toLong, size.toLong) === tiles(p))
          }
        }
    }
  }
}

object RankingSuite {

  /** The sizes of the groups of peers in a partition. */
  val groups: Gen[List[Int]] = for {
    n <- Gen.choose(1, 60)
    most <- Gen.oneOf(1, 3, 80)
    sizes <- Gen.listOfN(n, Gen.choose(1, most))
  } yield if (sizes.sum > 300) sizes.take(4) else sizes

  def numbered(sizes: Seq[Int]): Vector[Int] =
    sizes.zipWithIndex.flatMap { case (size, number) => Vector.fill(size)(number) }.toVector

  /** Deals a row to each bucket in turn until no row is left, then concatenates the buckets. */
  def ntiles(size: Int, buckets: Int): Vector[Int] = {
    val dealt = (0 until size).groupBy(_ % buckets).map { case (b, rows) => b -> rows.size }
    (0 until buckets).toVector.flatMap(b => Vector.fill(dealt.getOrElse(b, 0))(b + 1))
  }
}

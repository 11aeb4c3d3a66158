package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

/** Segments of rows (key, time) against the cuts around them. */
class SegmentsSuite extends MuntinSuite {
  private val columns = Seq("k", "t").map(name => AttributeReference(name, LongType)())
  private val order = new CutOrder(columns.map(SortOrder(_, Ascending)), 1, columns)
  private val projection = UnsafeProjection.create(columns.map(_.dataType).toArray)
  private val sides =
    Seq(Cut.BeforePartition, Cut.BeforePeers, Cut.AfterPeers, Cut.AfterPartition)

  private def row(random: Random): UnsafeRow = projection(
    new GenericInternalRow(Array[Any](random.nextInt(3).toLong, random.nextInt(20).toLong))
  ).copy()

  private def cut(random: Random): Cut = Cut(row(random), sides(random.nextInt(sides.size)))

  test("the number of a row's segment is the number of cuts before it") {
    for (seed <- 1L to 200L) {
      val random = new Random(seed)
      val (segments, cuts) = randomSegments(random)
      for (_ <- 1 to 50) {
        val any = row(random)
        val near = random.nextInt(segments.size)
        withClue(s"seed $seed, near $near: ") {
          assert(segments.of(any, near, order) == cuts.count(!order.isBefore(any, _)))
        }
      }
    }
  }

  test(
    "a stretch of rows is in its own segments, and only in them if it ends at their cuts"
  ) {
    for (seed <- 1L to 200L) {
      val random = new Random(seed)
      val (segments, cuts) = randomSegments(random)
      def end = if (cuts.nonEmpty && random.nextBoolean()) cuts(random.nextInt(cuts.size))
      else cut(random)
      val (one, other) = (end, end)
      val (from, until) = (order.min(one, other), order.max(one, other))
      val asked = segments.from(from, order) until segments.until(until, order)
      for (_ <- 1 to 50) {
        val any = row(random)
        val isInside = !order.isBefore(any, from) && order.isBefore(any, until)
        val isAsked = asked.contains(segments.of(any, 0, order))
        withClue(s"seed $seed: ") {
          assert(isAsked || !isInside)
          if (cuts.exists(order.equiv(_, from)) && cuts.exists(order.equiv(_, until)))
            assert(isAsked == isInside)
        }
      }
    }
  }

  private def randomSegments(random: Random): (Segments, Seq[Cut]) = {
    val cuts = Seq
      .fill(random.nextInt(9))(cut(random))
      .sorted(order)
      .foldLeft(Seq.empty[Cut])((known, c) =>
        if (known.lastOption.exists(order.equiv(_, c))) known else known :+ c
      )
    (new Segments(cuts.toArray), cuts)
  }

  test("mappers are divided into ranges of about equal bytes") {
    assert(RangeExchange.grouped(Array(1L, 1L, 1L, 1L), 2) == Seq(0 until 2, 2 until 4))
    assert(RangeExchange.grouped(Array(9L, 1L, 1L, 1L), 2) == Seq(0 until 1, 1 until 4))
    assert(RangeExchange.grouped(Array(5L), 8) == Seq(0 until 1))
    for (seed <- 1L to 100L) {
      val random = new Random(seed)
      val sizes = Array.fill(1 + random.nextInt(40))(random.nextInt(1000).toLong)
      val count = 1 + random.nextInt(12)
      val groups = RangeExchange.grouped(sizes, count)
      withClue(s"seed $seed: ") {
        assert(groups.flatten == sizes.indices)
        assert(groups.size <= count)
        val share = sizes.sum.toDouble / count
        assert(groups.forall(_.map(sizes(_)).sum <= share + sizes.max))
      }
    }
  }
}

package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.{Layout, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.muntin.execution.sort.SortWords

/**
 * Chunks of rows (key, time), in any order: the rows that they include, for any wrong estimate of
 * their halos.
 */
class ChunkRowsSuite extends MuntinSuite with KeysAndTimes {
  private val sortOrder = columns.map(SortOrder(_, Ascending))
  private val order = new CutOrder(sortOrder, 1, columns)

  private def time(row: UnsafeRow): (Long, Long) = (row.getLong(0), row.getLong(1))

  private val layout = new Layout(columns.map(_.dataType))
  private val words = SortWords(sortOrder, columns)

  /** Rows in any order; every second time, the rows are in order. */
  private def drawn(random: Random, keys: Int, seed: Long): Seq[UnsafeRow] = {
    val rows = Seq.fill(200)(row(random.nextInt(keys).toLong, random.nextInt(120).toLong))
    if (seed % 2L == 0L) rows.sorted(order.rows) else rows
  }

  /** By the numbers of stripes; for every third seed, by the rows. */
  private def pass(chunk: ChunkRows, rows: Seq[UnsafeRow], seed: Long): Seq[UnsafeRow] = {
    val picks = new StripePicks(chunk, layout, words.filter(_ => seed % 3L > 0L), 1, Set(0, 1))
    val taken = rows.grouped(30).map(some => picks.of(stripe(some))).filter(_ != null)
    StripeRows.of(layout, taken).map(_.asInstanceOf[UnsafeRow].copy()).toVector
  }

  /** The rows of a chunk in their order, and the number of passes. */
  private def taken(chunk: ChunkRows, rows: Seq[UnsafeRow], seed: Long): (Seq[UnsafeRow], Int) = {
    val found = Seq.newBuilder[UnsafeRow]
    var passes = 1
    found ++= pass(chunk, rows, seed)
    while (chunk.needsAnotherPass()) {
      passes += 1
      found ++= pass(chunk, rows, seed)
    }
    (found.result().sorted(order.rows), passes)
  }

  test("random chunks, with halos that are too small at first") {
    var longest = 0
    for (seed <- 1L to 300L) {
      val random = new Random(seed)
      val keys = 1 + random.nextInt(3)
      val rows = drawn(random, keys, seed)
      val sorted = rows.sorted(order.rows)
      val (low, high) = (20 + random.nextInt(60), 120 + random.nextInt(60))
      val halo = Halo(
        random.nextInt(12).toLong,
        random.nextInt(12).toLong,
        Nil,
        Nil,
        isCounted = true,
        isPreceded = random.nextBoolean(),
        isFollowed = random.nextBoolean()
      )
      def cut(at: Int, cuts: (Seq[Cut], Seq[Cut])) =
        HaloCut(Cut(sorted(at), Cut.BeforePeers), cuts._1, cuts._2)
      def guesses(at: Int, step: Int, last: Cut.Side) = {
        val far = if (random.nextInt(4) == 0) Nil
        else Seq(random.nextInt(4), 4 + random.nextInt(9)).map(at + step * _)
        far.map { i =>
          if (i >= 0 && i < sorted.size && sorted(i).getLong(0) == sorted(at).getLong(0))
            Cut(sorted(i), Cut.BeforePeers)
          else Cut(sorted(at), last)
        } :+ Cut(sorted(at), last)
      }
      val from = cut(low, (guesses(low, -1, Cut.BeforePartition), Nil))
      val until = cut(high, (Nil, guesses(high, 1, Cut.AfterPartition)))
      val chunk = new ChunkRows(Chunk(Some(from), Some(until)), halo, order)
      var earlier = Seq.empty[(Long, Long)]
      var later = Seq.empty[(Long, Long)]
      chunk.sendEarlierRows(row => earlier :+= time(row))
      chunk.sendLaterRows(row => later :+= time(row))
      val (found, passes) = taken(chunk, rows, seed)
      longest = math.max(longest, passes)

      withClue(s"seed $seed: ") {
        val firstOwn = sorted.indexWhere(!order.isBefore(_, from.cut))
        val endOwn = sorted.indexWhere(!order.isBefore(_, until.cut))
        val start = sorted.indexWhere(_.getLong(0) == sorted(firstOwn).getLong(0))
        val end = sorted.lastIndexWhere(_.getLong(0) == sorted(endOwn).getLong(0)) + 1
        val before = (0 until found.size).count(i => chunk.isBefore(i.toLong))
        val own = (0 until found.size).count(i => chunk.owns(i.toLong))
        assert(found.drop(before).take(own).map(time) == sorted.slice(firstOwn, endOwn).map(time))
        assert(found.map(time) == sorted.slice(
          firstOwn - before,
          firstOwn - before + found.size
        ).map(time))
        assert(before >= math.min(halo.rowsBefore, firstOwn - start))
        assert(found.size - before - own >= math.min(halo.rowsAfter, end - endOwn))
        assert(chunk.position == firstOwn - before - start)
        val preceding = sorted.slice(start, firstOwn - before).map(time)
        assert(earlier.sorted == (if (halo.isPreceded) preceding else Nil))
        val following = sorted.slice(firstOwn - before + found.size, end).map(time)
        assert(later.sorted == (if (halo.isFollowed) following else Nil))
        val isOfOne = sorted(firstOwn).getLong(0) == sorted(endOwn).getLong(0)
        assert(chunk.isOfOnePartition == isOfOne)
        assert(chunk.endsIn(sorted(firstOwn)) == isOfOne)
        assert(chunk.endsIn(sorted(endOwn)))
      }
    }
    assert(longest == 4)
  }

  test("required rows are found by the second pass at the latest") {
    var longest = 0
    for (seed <- 1L to 150L) {
      val random = new Random(seed)
      val keys = 1 + random.nextInt(3)
      val rows = drawn(random, keys, seed)
      val sorted = rows.sorted(order.rows)
      val (low, high) = (20 + random.nextInt(60), 120 + random.nextInt(60))
      val every = Seq(2L, 5L, 30L)
      def isEvery(step: Long)(row: UnsafeRow) = row.getLong(1) % step == 0L
      def sought = every.take(random.nextInt(4)).map { step =>
        RowsWhere(
          EqualTo(Remainder(columns(1), Literal(step)), Literal(0L)),
          1L + random.nextInt(9)
        ) -> isEvery(step) _
      }
      val (before, after) = (sought, sought)
      val halo = Halo.NoRows.copy(
        isCounted = true,
        isPreceded = random.nextBoolean(),
        requiredMatches =
          RequiredMatches(before.map(_._1), after.map(_._1), before.map(_._1.condition))
      )
      def cut(at: Int, step: Int, last: Cut.Side) = {
        val i = at + step * random.nextInt(15)
        val guess =
          if (sorted(i).getLong(0) == sorted(at).getLong(0)) Cut(sorted(i), Cut.BeforePeers)
          else Cut(sorted(at), last)
        HaloCut(Cut(sorted(at), Cut.BeforePeers), Seq(guess), Seq(guess))
      }
      val from = cut(low, -1, Cut.BeforePartition)
      val until = cut(high, 1, Cut.AfterPartition)
      val chunk = new ChunkRows(Chunk(Some(from), Some(until)), halo, order)
      var earlier = Seq.empty[(Long, Long)]
      chunk.sendEarlierRows(row => earlier :+= time(row))
      val (found, passes) = taken(chunk, rows, seed)
      longest = math.max(longest, passes)

      withClue(s"seed $seed: ") {
        val firstOwn = sorted.indexWhere(!order.isBefore(_, from.cut))
        val endOwn = sorted.indexWhere(!order.isBefore(_, until.cut))
        val start = sorted.indexWhere(_.getLong(0) == sorted(firstOwn).getLong(0))
        val end = sorted.lastIndexWhere(_.getLong(0) == sorted(endOwn).getLong(0)) + 1
        val haloBefore = (0 until found.size).count(i => chunk.isBefore(i.toLong))
        val own = (0 until found.size).count(i => chunk.owns(i.toLong))
        val first = firstOwn - haloBefore
        val last = first + found.size
        assert(own == endOwn - firstOwn)
        assert(found.map(time) == sorted.slice(first, last).map(time))
        // No more rows than required, except for the estimate, and peers.
        def furthest(places: Seq[Int], wheres: Seq[(RowsWhere, UnsafeRow => Boolean)], all: Int) =
          wheres.map { case (rows, holds) =>
            places.filter(i => holds(sorted(i))).lift(rows.count.toInt - 1).getOrElse(all)
          }
        val guessedFrom = sorted.indexWhere(!order.isBefore(_, from.from.head))
        val neededFrom =
          (guessedFrom +: furthest((start until firstOwn).reverse, before, start)).min
        assert(first == sorted.indexWhere(r => order.rows.compare(r, sorted(neededFrom)) >= 0))
        val guessedUntil = sorted.lastIndexWhere(order.isBefore(_, until.until.head))
        val neededUntil = (guessedUntil +: furthest(endOwn until end, after, end - 1)).max
        assert(
          last == sorted.lastIndexWhere(r => order.rows.compare(r, sorted(neededUntil)) <= 0) + 1
        )
        val preceding = sorted.slice(start, first)
        assert(chunk.position == preceding.size)
        before.foreach { case (rows, holds) =>
          assert(chunk.counted(rows.condition) == preceding.count(holds))
        }
        assert(earlier.sorted == (if (halo.isPreceded) preceding.map(time) else Nil))
      }
    }
    assert(longest == 3)
  }

  test("reads before all rows have arrived are an error") {
    val cut = Cut(row(0L, 5L), Cut.BeforePeers)
    val halo = Halo(0L, 0L, Nil, Nil, isCounted = false, isPreceded = false)
    val chunk = new ChunkRows(Chunk(Some(HaloCut(cut, Seq(cut), Seq(cut))), None), halo, order)
    assert(!chunk.takes(row(0L, 4L)))
    assert(chunk.takes(row(0L, 5L)))
    assertThrows[IllegalStateException](chunk.position)
    assertThrows[IllegalStateException](chunk.owns(0L))
    assert(!chunk.needsAnotherPass())
    assert(chunk.owns(0L))
  }
}

package io.muntin.kernel

import scala.util.Random

import io.muntin.kernel.columns.{Column, DoubleColumn, Keys, LongColumn}
import io.muntin.kernel.distinct.{CountedHyperLogLog, RunningHyperLogLog}
import io.muntin.kernel.extremes.{FollowedExtreme, Pick, RunningExtreme}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{
  Edge,
  FrameMotion,
  RangeEdge,
  RowsEdge,
  UnboundedEnd,
  UnboundedStart
}
import io.muntin.kernel.sums.{
  BitCounts,
  BitMerge,
  BitXor,
  ExactSum,
  IntegerSum,
  MergedBits,
  Moments,
  NonNullCount
}

/**
 * A part of a partition. The other rows pass before it, in any order, and its results equal the
 * results of frames over all rows.
 */
class FollowedSuite extends MuntinSuite {
  import FollowedSuite._

  for {
    begins <- Seq(true, false)
    ends <- Seq(true, false)
    if begins || ends
  } test(s"frames that begin with the partition: $begins, that end with it: $ends") {
    for (seed <- 1 to 150 if Cases.selects(seed, 3))
      withClue(s"seed $seed: ")(check(new Random(seed), begins, ends))
  }

  private def check(random: Random, begins: Boolean, ends: Boolean): Unit = {
    val size = 1 + random.nextInt(900)
    val rows = Vector.fill(size)(value(random))
    val keys = Vector.fill(size)(if (random.nextBoolean()) 0 else random.nextInt(40))
      .scanLeft(0)(_ + _)
      .take(size)
    val part = new Columns
    // UNBOUNDED, ROWS, or RANGE.
    val byKeys = random.nextBoolean()
    val shift = random.nextInt(41) - 20
    def edge(isUnbounded: Boolean, lower: Boolean): Edge =
      if (isUnbounded) { if (lower) UnboundedStart else UnboundedEnd }
      else if (byKeys) new RangeEdge(part.shifted(shift.toLong), after = !lower)
      else new RowsEdge(shift.toLong)
    def place(row: Int): Int = math.max(0, math.min(size, row + shift))
    def start(row: Int): Int =
      if (begins) 0 else if (byKeys) keys.count(_ < keys(row) + shift) else place(row)
    def end(row: Int): Int =
      if (ends) size else if (byKeys) keys.count(_ <= keys(row) + shift) else place(row)

    // Never between peers, and with some margin for the halo.
    def cut(at: Int): Int = keys.indexOf(keys(at))
    val from = cut(random.nextInt(size))
    val until = math.max(keys.lastIndexOf(keys(from)) + 1, cut(random.nextInt(size)))
    val back = if (byKeys) keys.count(_ < keys(from) - 20) else from - 20
    val first = math.max(0, back - random.nextInt(3))
    val ahead = if (byKeys && until < size) keys.count(_ <= keys(until) + 20) else until + 20
    val last = math.min(size, ahead + random.nextInt(3))

    val motion = new FrameMotion(edge(begins, lower = true), edge(ends, lower = false))
    val ours = new Answers(part, isFollowed = ends && !begins)
    ours.accumulators.foreach(motion.drive)
    part.addReader(motion)
    val beyond = random.shuffle(((0 until first).map(_ -> false) ++
      (last until size).map(_ -> true)).toVector)
    // Runs twice, to check that no state of a partition remains.
    (1 to 2).foreach { _ =>
      part.clear(0L)
      motion.startPartition(0L)
      var passed = 0L
      beyond.foreach { case (row, isBehind) =>
        part.append(rows(row), keys(row))
        passed += 1L
        if (isBehind) motion.follow(passed) else motion.precede(passed)
      }
      part.clear(first.toLong)
      motion.arriveNext(first.toLong)
      (first until last).foreach { row =>
        part.append(rows(row), keys(row))
        motion.arrive(row + 1L)
      }
      val whole = new Columns
      whole.addReader(Column.RetainAll)
      rows.zip(keys).foreach { case (row, key) => whole.append(row, key) }
      val theirs = new Answers(whole, isFollowed = false)
      var frame = (0, 0)
      (first until until).foreach { row =>
        assert(motion.isReady(row.toLong, last.toLong, ended = true))
        motion.advance(row.toLong): Unit
        if (row >= from) {
          val (lo, hi) = (start(row), math.max(start(row), end(row)))
          if (frame != (lo -> hi)) theirs.accumulators.foreach { a =>
            a.clear()
            if (lo < hi) a.enter(lo.toLong, hi.toLong)
          }
          frame = (lo, hi)
          assert(motion.size === hi - lo, s"row $row")
          assert(ours.all === theirs.all, s"row $row of $from until $until, $lo until $hi")
          if (ends) assert(motion.end + motion.following === size)
        }
      }
      theirs.accumulators.foreach(_.close())
    }
  }

  test("memory is released") {
    val memory = new CountingMemory
    val column = new LongColumn(memory, nullable = true)
    val extreme = new FollowedExtreme(memory, column, 1)
    column.append(3L)
    extreme.follow(0L, 1L)
    assert(extreme.values.asInstanceOf[LongColumn](extreme.position) === 3L)
    extreme.clear()
    assert(extreme.position === Pick.None)
    extreme.close()
    column.close()
    assert(memory.held === 0L)
  }
}

object FollowedSuite {
  private def value(random: Random): Option[Double] =
    if (random.nextInt(6) == 0) None
    else if (random.nextInt(40) == 0) Some(Double.NaN)
    else Some((random.nextInt(200) - 100) / 8.0)

  private final class Columns {
    val longs = new LongColumn(Memory.Unlimited, nullable = true)
    val hashes = new LongColumn(Memory.Unlimited, nullable = true)
    val doubles = new DoubleColumn(Memory.Unlimited, nullable = true)
    private val keys = new LongColumn(Memory.Unlimited, nullable = false)
    private val all = Seq(longs, hashes, doubles, keys)

    def shifted(offset: Long): Keys = new Keys {
      override def startPartition(): Unit = ()
      override def compare(position: Long, current: Long): Int =
        java.lang.Long.compare(keys(position), keys(current) + offset)
    }

    def addReader(reader: Column.Reader): Unit = all.foreach(_.addReader(reader))

    def clear(first: Long): Unit = all.foreach(_.clear(first))

    def append(value: Option[Double], key: Int): Unit = {
      val bits = value.map(java.lang.Double.doubleToLongBits)
      bits.fold(longs.appendNull())(longs.append)
      bits.fold(hashes.appendNull())(b => hashes.append(b * 0x9e3779b97f4a7c15L))
      value.fold(doubles.appendNull())(doubles.append)
      keys.append(key.toLong)
    }
  }

  /** Accumulators of all kinds that include rows that pass. */
  private final class Answers(columns: Columns, isFollowed: Boolean) {
    import columns._
    private val sum = new IntegerSum(longs)
    private val count = new NonNullCount(longs)
    private val xor = new BitXor(longs)
    private val and = merged(and = true)
    private val or = merged(and = false)
    private val exact = new ExactSum(doubles)
    private val moments = new Moments(doubles, 2)
    private val extremes: Seq[Pick] = Seq(1, -1).map { sign =>
      if (isFollowed) new FollowedExtreme(Memory.Unlimited, longs, sign)
      else new RunningExtreme(longs, longs, sign, latest = false)
    }

    private def merged(and: Boolean): MergedBits =
      if (isFollowed) new BitMerge(Memory.Unlimited, longs, and)
      else new BitCounts(longs, and, evicts = false)

    private val registers = Seq(4, 7).map { p =>
      if (isFollowed) new CountedHyperLogLog(Memory.Unlimited, hashes, p)
      else new RunningHyperLogLog(Memory.Unlimited, hashes, p)
    }

    val accumulators: Seq[Accumulator] =
      Seq(sum, count, xor, and, or, exact, moments) ++ extremes ++ registers

    def all: Seq[Any] = Seq[Any](
      sum.bigInteger,
      count.count,
      xor.xor,
      and.count,
      and.value,
      or.value,
      bits(exact.sum),
      if (exact.isEmpty) 0L else bits(exact.mean),
      moments.count,
      if (moments.count == 0L) 0L else bits(moments.sums.m2)
    ) ++ extremes.map { e =>
      val position = e.position
      if (position < 0L) "none" else e.values.asInstanceOf[LongColumn](position)
    } ++ registers.flatMap(r => Seq(r.zeros, bits(r.inverseSum)))

    private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)
  }
}

package io.muntin.kernel.motions

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Accumulator, CountingMemory}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory

/** Validity of a group that resumes from its stored rows, against the same rows at once. */
class ResumedValiditySuite extends MuntinSuite {
  import ResumedValiditySuite._

  private def rows(random: Random): Rows = {
    val span = Seq(5, 30, 300)(random.nextInt(3))
    val longest = Seq(3, 20, 200)(random.nextInt(3))
    // Only rows without an end are valid in these.
    val gap = random.nextInt(2) * 1000
    val never = random.nextInt(3) * 10
    Vector
      .fill(random.nextInt(120)) {
        val t = random.nextInt(span)
        val start = (if (t > span / 2) t + gap else t).toLong
        (start, Option.when(random.nextInt(100) >= never)(start + random.nextInt(longest)))
      }
      .sortBy(_._1)
  }

  /** The time of each micro-batch: often a start or an end. */
  private def bounds(rows: Rows, random: Random): Seq[Long] =
    Seq
      .fill(1 + random.nextInt(12)) {
        val any = random.nextInt(1800).toLong
        if (rows.isEmpty || random.nextInt(3) == 0) any
        else {
          val (start, end) = rows(random.nextInt(rows.size))
          if (random.nextBoolean()) start else end.getOrElse(any)
        }
      }
      .sorted

  private def check(name: String, atOnce: (Task, Rows, Long) => Motions, inParts: Task => Motions) =
    test(s"$name: dropped rows have no effect") {
      var resumed = 0
      (1 to 500).foreach { seed =>
        val random = new Random(seed.toLong)
        val all = rows(random)
        val until = bounds(all, random)
        val before = all.filter(_._1 < until.last)
        val memory = new CountingMemory
        val whole = new Task(before, memory)
        whole.drive(atOnce(whole, before, until.last))
        val parted = new Task(before, memory)
        parted.drive(inParts(parted))
        assert(parted.inParts(until, random) === whole.atOnce(), s"seed $seed")
        resumed += parted.resumed
        whole.close()
        parted.close()
        assert(memory.held === 0L)
      }
      // Most groups have resumed at least once.
      assert(resumed > 800)
    }

  check(
    "change",
    (task, _, bound) => task.pieces(horizon = Some(bound)),
    task => task.pieces()
  )

  for (k <- 1 to 4)
    check(
      s"change, cut at each $k-th row",
      (task, rows, bound) => {
        val cuts = rows.indices.filter(i => (i + 1) % k == 0).map(rows(_)._1).distinct
        task.pieces(cuts = Some(cuts), horizon = Some(bound))
      },
      task => task.pieces(every = Some(k))
    )

  test("cut at times that arrive with each micro-batch") {
    var pieces = 0
    (1 to 500).foreach { seed =>
      val random = new Random(seed.toLong)
      val all = rows(random)
      val until = bounds(all, random)
      val before = all.filter(_._1 < until.last)
      // Starts and ends of the group, and other times.
      val marks =
        (bounds(all, random) ++ bounds(all, random)).filter(_ < until.last).distinct.sorted
      val memory = new CountingMemory
      val whole = new Task(before, memory)
      whole.drive(whole.pieces(cuts = Some(marks), horizon = Some(until.last)))
      val parted = new Task(before, memory)
      parted.drive(parted.pieces())
      val found = parted.inParts(until, random, marks)
      assert(found === whole.atOnce(), s"seed $seed")
      pieces += found.count(p => p._2.exists(marks.contains(_)))
      whole.close()
      parted.close()
      assert(memory.held === 0L)
    }
    assert(pieces > 800)
  }

  check("element", (task, _, _) => task.elements(), task => task.elements())

  test("the ends of rows distinguish rows that left from present rows") {
    val task = new Task(Vector((0L, Some(9L)), (1L, None), (2L, Some(4L))), new CountingMemory)
    task.drive(task.pieces())
    task.inParts(Seq(5L), new Random(1)): Unit
    assert(task.motion.positions === Array(0L, 1L))
    assert(!task.motion.isDone && task.motion.wakeUpTime === 9L)
    task.close()
  }
}

object ResumedValiditySuite {
  type Rows = Vector[(Long, Option[Long])]
  type Motions = ValidityMotion

  /**
   * A window: its bounds, and its rows with their numbers, by which aggregates that can only be
   * merged are merged.
   */
  type Found = (Long, Option[Long], Seq[(Int, Long)])

  private final case class Kept(saved: Array[Byte], first: Long, rows: Seq[(Long, Int)])

  final class Task(rows: Rows, memory: CountingMemory) {
    private val starts = new LongColumn(memory, true)
    private val ends = new LongColumn(memory, true)
    private val indices = new LongColumn(memory, true)
    private val columns = Seq(starts, ends, indices)
    private val slots = new Slots(memory)
    private val seen = new Recorded
    private val found = mutable.ArrayBuffer.empty[Found]
    var motion: ValidityMotion = _
    var resumed = 0

    def pieces(
        cuts: Option[Seq[Long]] = None,
        horizon: Option[Long] = None,
        every: Option[Int] = None
    ): PieceMotion =
      new PieceMotion(
        memory,
        starts,
        ends,
        slots,
        cuts.map(column),
        horizon.map(h => column(Seq(h))),
        every = every
      )

    def elements(): ElementMotion = new ElementMotion(memory, starts, ends, slots)

    private def column(times: Seq[Long]): LongColumn = {
      val made = new LongColumn(Memory.Unlimited, true)
      made.addReader(new Column.Reader { override def floor: Long = 0L })
      times.foreach(made.append)
      made
    }

    def drive(motion: ValidityMotion): Unit = {
      this.motion = motion
      columns.foreach(_.addReader(motion))
      slots.column(indices)
      motion.drive(seen)
    }

    def atOnce(): Seq[Found] = {
      motion.startPartition()
      rows.indices.foreach(i => arrive(i, i + 1L))
      take(rows.size.toLong, ended = true)
      found.toSeq
    }

    def inParts(bounds: Seq[Long], random: Random, marks: Seq[Long] = Nil): Seq[Found] = {
      var next = 0
      var kept: Option[Kept] = None
      var wake = Long.MaxValue
      def isIdle(bound: Long, cuts: Seq[Long]) =
        bound < wake && (cuts.isEmpty || kept.isEmpty) && !rows.lift(next).exists(_._1 < bound)
      (Long.MinValue +: bounds).zip(bounds).foreach { case (from, bound) =>
        val cuts = marks.filter(m => m >= from && m < bound)
        if (!isIdle(bound, cuts) || random.nextBoolean()) continueTo(bound, cuts)
      }
      def continueTo(bound: Long, cuts: Seq[Long]): Unit = {
        var arrived = kept.fold(0L)(_.first)
        var positions = kept.fold(Map.empty[Long, Int])(_.rows.toMap)
        columns.foreach(_.clear(arrived))
        motion.startPartition(arrived)
        kept.foreach(again)
        if (marks.nonEmpty) motion.cutAt(column(cuts))
        while (next < rows.size && rows(next)._1 < bound) {
          positions += arrived -> next
          arrived += 1
          arrive(next, arrived)
          next += 1
          take(arrived, ended = false)
        }
        motion.raiseBound(bound)
        take(arrived, ended = false)
        wake = motion.wakeUpTime
        assert(wake > bound)
        kept = Option.when(!motion.isDone) {
          val there = motion.positions.toSet
          assert(there.subsetOf(positions.keySet))
          // Rows that left may still be included, because they are dropped only from time to time.
          val stored = positions.filter { case (p, _) => there(p) || random.nextBoolean() }
          val bytes = new ByteArrayOutputStream
          motion.save(new DataOutputStream(bytes))
          Kept(bytes.toByteArray, motion.oldestNeeded, stored.toSeq.sorted)
        }
      }
      found.toSeq
    }

    private def again(kept: Kept): Unit = {
      motion.resume(new DataInputStream(new ByteArrayInputStream(kept.saved)))
      kept.rows.foreach { case (position, i) =>
        columns.foreach(_.clear(position))
        append(i)
        motion.replayRow(position)
      }
      columns.foreach(_.clear(kept.first))
      resumed += 1
    }

    private def arrive(i: Int, arrived: Long): Unit = {
      append(i)
      motion.arrive(arrived)
    }

    private def append(i: Int): Unit = {
      val (start, end) = rows(i)
      starts.append(start)
      end.fold(ends.appendNull())(ends.append)
      indices.append(i.toLong)
    }

    private def take(arrived: Long, ended: Boolean): Unit =
      while (motion.next(arrived, ended)) {
        val bounds = motion.bounds.asInstanceOf[LongColumn]
        val to = Option.when(!bounds.isNull(motion.to))(bounds(motion.to))
        found += ((bounds(motion.from), to, seen.rows))
      }

    def close(): Unit = {
      motion.close()
      slots.close()
      columns.foreach(_.close())
    }

    private final class Recorded extends Accumulator {
      private val there = mutable.SortedMap.empty[Int, Long]

      def rows: Seq[(Int, Long)] = there.toSeq

      override def anyOrder: Boolean = true

      override def clear(): Unit = there.clear()

      private def index(slot: Long): Int =
        slots.column(indices).asInstanceOf[LongColumn](slot).toInt

      override def enter(from: Long, until: Long): Unit =
        assert(there.put(index(from), slots.number(from.toInt)).isEmpty)

      override def leave(from: Long, until: Long): Unit =
        assert(there.remove(index(from)).isDefined)
    }
  }
}

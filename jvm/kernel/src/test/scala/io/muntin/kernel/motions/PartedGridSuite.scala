package io.muntin.kernel.motions

import scala.util.Random

import io.muntin.kernel.HeldRows
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.fields.{FieldSteps, FieldTrack, LongAxis}
import io.muntin.kernel.memory.Memory

/**
 * Windows on a grid of a part of a group, found in the rows that they reach, against the windows of
 * the whole group.
 */
class PartedGridSuite extends MuntinSuite {

  /** The start and the end of a window, and its rows. */
  private type Found = Seq[(Long, Long, Seq[Long])]

  // Many rows are equal, and there are gaps.
  private def times(random: Random): Vector[Long] = {
    val (spread, gap) = (1 + random.nextInt(60), random.nextInt(3) * 70)
    Vector
      .fill(1 + random.nextInt(60)) {
        val t = random.nextInt(2 * spread)
        (if (t > spread) t + gap else t).toLong - 40L
      }
      .sorted
  }

  private def driven(
      rows: Seq[Long],
      motion: GroupMotion,
      column: LongColumn,
      from: Long,
      until: Long
  )(window: => (Long, Long)): Found = {
    column.addReader(motion)
    val held = new HeldRows(motion.evicts)
    motion.drive(held)
    motion.startPartition()
    motion.between(from, until)
    val found = Seq.newBuilder[(Long, Long, Seq[Long])]
    def go(arrived: Int, ended: Boolean): Unit = while (motion.next(arrived.toLong, ended)) {
      val (begin, end) = window
      found += ((begin, end, held.rows.map(p => rows(p.toInt))))
    }
    rows.indices.foreach { i =>
      column.append(rows(i))
      motion.arrive(i + 1L)
      go(i + 1, ended = false)
    }
    go(rows.size, ended = true)
    found.result()
  }

  private def column = new LongColumn(Memory.Unlimited, nullable = false)

  test("windows along a field") {
    var cut = 0
    (1 to 1500).foreach { seed =>
      val random = new Random(seed.toLong)
      val rows = times(random)
      val advance = 1L + random.nextInt(15)
      val size = advance + (if (random.nextBoolean()) 0L else random.nextInt(30).toLong)
      val every = Option.when(size == advance && random.nextBoolean())(1L + random.nextInt(4))
      val shift = random.nextInt(20).toLong
      val steps = FieldSteps(Some(size), Some(advance), shift, every, random.nextBoolean())
      val drain = random.nextBoolean()
      val known = rows.last + random.nextInt(40)
      def found(part: Seq[Long], from: Long, until: Long) = {
        val values = column
        val axis = new LongAxis("t", values, values, steps, known)
        val windows = ((size - 1L) / advance + 1L, 1L)
        val track =
          FieldTrack.all(windows._1, if (windows._1 == 1L) every.fold(1L)(size / _) else 1L)
        assert(track.size == 1)
        driven(part, new FieldMotion(axis, track.head, drain), values, from, until)(
          (axis.open, axis.emit)
        )
      }
      val whole = found(rows, Long.MinValue, Long.MaxValue)
      val places = Seq.fill(random.nextInt(4))(rows(random.nextInt(rows.size)))
        .map(t => Math.floorDiv(t - shift, advance) * advance + shift)
        .distinct.sorted
      cut += places.size
      val ends = (Long.MinValue +: places).zip(places :+ Long.MaxValue)
      val parted = ends.flatMap { case (from, until) =>
        val least = if (from == Long.MinValue || size == advance) from else from - size
        val most = if (until == Long.MaxValue) until else until - advance + size
        found(rows.filter(t => t >= least && t < most), from, until)
      }
      assert(parted === whole, s"seed $seed")
    }
    assert(cut > 1000)
  }

  test("ticks") {
    (1 to 1000).foreach { seed =>
      val random = new Random(seed.toLong)
      val rows = times(random)
      val step = 1L + random.nextInt(20)
      val ticks = new Ticks {
        override def atOrAfter(time: Long): Long = -Math.floorDiv(-time, step) * step
        override def before(time: Long): Long = atOrAfter(time) - step
      }
      val span = 1 + random.nextInt(4)
      val last = ticks.atOrAfter(rows.last + random.nextInt(50))
      def found(part: Seq[Long], from: Long, until: Long) = {
        val values = column
        val motion = new TickMotion(values, ticks, span, last)
        driven(part, motion, values, from, until)((motion.opens, motion.closes))
      }
      val whole = found(rows, Long.MinValue, Long.MaxValue)
      // With a row before them.
      val places = Seq.fill(random.nextInt(4))(rows(random.nextInt(rows.size)))
        .map(ticks.before)
        .filter(_ >= rows.head)
        .distinct.sorted
      val ends = (Long.MinValue +: places).zip(places :+ Long.MaxValue)
      val parted = ends.flatMap { case (from, until) =>
        val least = if (from == Long.MinValue) from else from - (span - 1) * step
        found(rows.filter(t => (t > least || from == Long.MinValue) && t <= until), from, until)
      }
      assert(parted === whole, s"seed $seed")
    }
  }
}

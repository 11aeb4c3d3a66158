package io.muntin.kernel.motions

import java.io._

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{BlockAligned, SampledTests, SavableState}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.fields.{FieldTrack, LongAxis}
import io.muntin.kernel.memory.Memory

/**
 * Motions of groups that continue from micro-batch to micro-batch find the windows of a batch of
 * all rows, each once, and wake up when a window is ready.
 */
class GroupMotionStreamSuite extends SampledTests {
  import GroupMotionStreamSuite._

  test("windows along a field") {
    val random = new Random(11)
    (1 to 3000).foreach { round =>
      val steps = FieldMotionSuite.randomSteps(random).map(_.longValueExact)
      val tracks = FieldTrack.all(
        steps.advance.fold(1L)(a => ceiling(steps.size.get, a)),
        steps.every.fold(1L)(e => steps.size.fold(Long.MaxValue)(ceiling(_, e)))
      )
      check(
        random,
        s"$round: $steps",
        tracks.size,
        steps.size.isDefined,
        (values, track, known) => {
          val axis = new LongAxis("t", values, values, steps, known.getOrElse(Long.MinValue))
          val motion = new FieldMotion(axis, tracks(track), drain = false)
          (motion, () => (axis.open, if (steps.every.isDefined) axis.emit else axis.close))
        }
      )
    }
  }

  sampledTest("ticks") {
    val random = new Random(12)
    (1 to 1500).foreach { round =>
      val period = 1 + random.nextInt(30)
      val ticks = TickMotionSuite.Repeating(
        period,
        Seq.fill(1 + random.nextInt(3))(random.nextInt(period)).toSet
      )
      val span = Seq(0, 1, 2, 5)(random.nextInt(4))
      check(
        random,
        s"$round: $ticks, $span",
        1,
        isDropped = false,
        (values, _, known) => {
          val last = known.fold(Long.MaxValue)(ticks.before)
          val motion = new TickMotion(values, ticks, span, last)
          (motion, () => (if (span == 0) 0L else motion.opens, motion.closes))
        }
      )
    }
  }

  test("sessions") {
    val random = new Random(13)
    (1 to 1500).foreach { round =>
      val gap = 1L + random.nextInt(30)
      check(
        random,
        s"$round: $gap",
        1,
        isDropped = true,
        (values, _, known) => {
          val least = known.getOrElse(Long.MinValue)
          val times = new LongSessionTimes(values, values, gap, false, least)
          val motion = new GroupSessionMotion(times, values, "t", drain = false)
          (motion, () => (times.first, times.last + gap))
        }
      )
    }
  }

  private def ceiling(a: Long, b: Long): Long = (a + b - 1L) / b

  private type Build =
    (LongColumn, Int, Option[Long]) => (GroupMotion, () => (Long, Long))

  /**
   * Rows in random micro-batches that each end with a bound, against the same rows at once; `known`
   * is the last bound.
   */
  private def check(
      random: Random,
      name: String,
      tracks: Int,
      isDropped: Boolean,
      build: Build
  ): Any = {
    val rows = FieldMotionSuite.randomValues(random, Some(FieldMotionSuite.decimal(10)))
      .map(_.longValueExact)
    if (rows.nonEmpty) {
      val bound = rows.last + 1L + random.nextInt(60)
      val expected = inBatch(rows, tracks, bound, build)
      val saves = random.nextBoolean()
      val (found, isDone) = onStream(random, rows, tracks, bound, saves, build)
      assert(
        found.sorted === expected.sorted,
        s"$name, ${rows.mkString(" ")} until $bound, saved $saves"
      )
      // Time advances until no window is pending.
      if (isDropped) assert(isDone, name) else ()
    }
  }

  private def inBatch(rows: Seq[Long], tracks: Int, bound: Long, build: Build): Seq[Found] =
    (0 until tracks).flatMap { track =>
      val values = new LongColumn(Memory.Unlimited, nullable = false)
      val (motion, window) = build(values, track, Some(bound))
      val held = new Held(values)
      motion.drive(held)
      values.addReader(motion)
      motion.startPartition()
      val found = mutable.ArrayBuffer.empty[Found]
      rows.indices.foreach { i =>
        values.append(rows(i))
        motion.arrive(i + 1L)
        while (motion.next(i + 1L, i == rows.size - 1)) found += Found(window(), motion, held)
      }
      found.toSeq
    }

  private def onStream(
      random: Random,
      rows: Seq[Long],
      tracks: Int,
      lastBound: Long,
      saves: Boolean,
      build: Build
  ): (Seq[Found], Boolean) = {
    val values = new LongColumn(Memory.Unlimited, nullable = false)
    val all = (0 until tracks).map { track =>
      val (motion, window) = build(values, track, None)
      val held = if (saves) new SavedHeld(values) else new Held(values)
      motion.drive(held)
      values.addReader(motion)
      (motion, window, held)
    }
    val found = mutable.ArrayBuffer.empty[Found]
    // The state: the rows from `first` on, and the saved values; null for a removed group.
    var state: Array[Byte] = null
    var kept = IndexedSeq.empty[Long]
    var first = 0L
    var wake = Long.MaxValue

    def microBatch(arriving: Seq[Long], bound: Long): Any = {
      val isNew = state == null
      if (isNew) {
        first = 0L
        kept = IndexedSeq.empty
      }
      values.clear(first)
      all.foreach(_._1.startPartition(first))
      if (!isNew) {
        val in = new DataInputStream(new ByteArrayInputStream(state))
        all.foreach {
          case (motion, _, held: SavedHeld) if motion.saves =>
            motion.resume(in)
            held.restore(in)
          case (motion, _, _) => motion.resume(in)
        }
      }
      var arrived = first
      def arrive(value: Long): Unit = {
        values.append(value)
        arrived += 1L
        all.foreach(_._1.arrive(arrived))
      }
      def find(): Unit = all.foreach { case (motion, window, held) =>
        while (motion.next(arrived, ended = false)) found += Found(window(), motion, held)
      }
      kept.foreach(arrive)
      arriving.foreach { value =>
        arrive(value)
        find()
        assert(all.forall(_._1.oldestNeeded <= arrived))
      }
      val before = found.size
      all.foreach(_._1.raiseBound(bound))
      find()
      val isDone = all.forall(_._1.isDone)
      if (arriving.isEmpty && !isNew) {
        assert(wake <= bound || found.size == before, s"not woken at $bound")
        // One of several tracks may finish before the others.
        assert(
          wake > bound || found.size > before || isDone || tracks > 1,
          s"woken at $bound for nothing"
        )
      }
      if (isDone) state = null
      else {
        val out = new ByteArrayOutputStream
        val data = new DataOutputStream(out)
        all.foreach {
          case (motion, _, held: SavedHeld) if motion.saves =>
            motion.save(data)
            held.save(data)
          case (motion, _, _) => motion.save(data)
        }
        state = out.toByteArray
        val floor = all.map(_._1.oldestNeeded).min
        kept = (kept ++ arriving).drop((floor - first).toInt)
        first = floor
        wake = all.map(_._1.wakeUpTime).min
        assert(wake > bound || tracks > 1)
      }
    }

    var rest = rows
    var bound = rows.head - 5L
    while (rest.nonEmpty) {
      val now = rest.take(random.nextInt(4))
      rest = rest.drop(now.size)
      // Not past a row that is still to arrive.
      val most = rest.headOption.getOrElse(lastBound)
      bound = math.max(bound, most - random.nextInt(12))
      if (now.nonEmpty || state != null) microBatch(now, bound)
    }
    if (state != null) microBatch(Nil, lastBound)
    val untilHere = found.toSeq
    bound = lastBound
    // A window that waits for its end, with a gap after it.
    while (state != null && wake < Long.MaxValue && bound < lastBound + 1000L) {
      bound = math.max(bound + 1L, wake)
      microBatch(Nil, bound)
    }
    (untilHere, state == null)
  }
}

object GroupMotionStreamSuite {

  /** A window, the values of its rows, and the number of rows before the first block. */
  final case class Found(from: Long, to: Long, rows: Seq[Long], inBlocks: Long)

  object Found {
    def apply(window: (Long, Long), motion: GroupMotion, held: Held): Found =
      Found(
        window._1,
        window._2,
        held.rows.toSeq,
        if (held.rows.isEmpty || !motion.evicts) 0L else motion.start - held.origin
      )

    implicit val ordering: Ordering[Found] =
      Ordering.by((f: Found) => (f.from, f.to, f.inBlocks, f.rows.mkString(" ")))
  }

  /** Stores the values of the rows that have entered. */
  class Held(values: LongColumn) extends BlockAligned {
    val rows = mutable.ArrayBuffer.empty[Long]
    var origin = -1L

    override def align(at: Long): Unit = origin = at

    override def clear(): Unit = rows.clear()

    override def enter(from: Long, until: Long): Unit =
      (from until until).foreach(p => rows += values(p))

    override def leave(from: Long, until: Long): Unit = rows.remove(0, (until - from).toInt)

    override def readsFrame: Boolean = false
  }

  final class SavedHeld(values: LongColumn) extends Held(values) with SavableState {
    override def save(out: DataOutput): Unit = {
      out.writeInt(rows.size)
      rows.foreach(out.writeLong)
    }

    override def restore(in: DataInput): Unit = {
      rows.clear()
      rows ++= Seq.fill(in.readInt())(in.readLong())
    }
  }
}

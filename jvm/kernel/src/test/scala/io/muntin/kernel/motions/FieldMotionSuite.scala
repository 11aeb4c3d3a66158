package io.muntin.kernel.motions

import java.math.{BigDecimal, BigInteger}

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Accumulator, Forgetting, HeldRows, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.fields.{
  DoubleAxis,
  FieldAxis,
  FieldSteps,
  FieldTrack,
  InvalidWindowRowException,
  LongAxis,
  WideAxis
}
import io.muntin.kernel.memory.Memory
import org.scalatest.Assertions

class FieldMotionSuite extends MuntinSuite {
  import FieldMotionSuite._

  for (line <- Seq(Longs, Wides, Doubles))
    test(s"random windows over ${line.name}, row by row, equal the specification") {
      val random = new Random(7)
      (1 to 1500).foreach { _ =>
        val steps = randomSteps(random)
        val rows = randomValues(random, steps.size)
        val drain = random.nextInt(3) > 0
        val known = rows.lastOption.map(_.add(decimal(random.nextInt(3) * random.nextInt(40))))
        check(line, steps, drain, known, rows)
      }
    }

  test("panes represent their rows") {
    val random = new Random(8)
    (1 to 1000).foreach { _ =>
      val steps = randomSteps(random).copy(advance = Some(decimal(1 + random.nextInt(6))))
      val advance = steps.advance.get.longValueExact
      val size = advance + random.nextInt(15)
      val whole = steps.copy(
        size = Some(decimal(size)),
        every = steps.every.map(_.min(decimal(size)))
      )
      val rows = randomValues(random, whole.size)
      val every = whole.every.map(_.longValueExact)
      // By definition: neighbors between which no window begins, ends or has a point.
      val bounds = for {
        k <- -70L to 500L
        start = whole.offset.longValueExact + k * advance
        bound <-
          Seq(start, start + size) ++ every.toSeq.flatMap(e => start + e until start + size by e)
      } yield bound
      val edges = bounds.distinct.sorted.toArray
      def pane(value: Long): Int = edges.lastIndexWhere(_ <= value)
      // Some panes are in several parts, as if several tasks had made them.
      val panes = rows.map(_.longValueExact)
        .groupBy(v => (pane(v), random.nextInt(2)))
        .values.toSeq.map(part => (part.min, part.max, part.size)).sorted
      val known = rows.lastOption
      val expected = reference(rows, whole, drain = true, known, identity[BigDecimal])
      val found = driven(
        panes.map { case (least, most, _) => (decimal(least), decimal(most)) },
        whole,
        drain = true,
        known,
        Longs
      )
      val counted = found.map(a => a.copy(rows = a.rows.map(p => panes(p)._3).sum until 0 by -1))
      assert(counted.map(a => (a.open, a.close, a.emit, a.rows.size)) ===
        expected.map(a => (a.open, a.close, a.emit, a.rows.size)))
    }
  }

  test("the greatest value of all earlier panes determines a gap") {
    val steps = FieldSteps(Some(10L), Some(5L), 0L, None, all = false).map(decimal)
    val panes = Seq((0L, 4L), (2L, 2L), (12L, 12L)).map { case (a, b) => (decimal(a), decimal(b)) }
    assert(driven(panes, steps, drain = true, None, Longs).map(_.open.longValue) === Seq(0, 5, 10))
    assert(driven(panes, steps, drain = true, None, Wides).map(_.open.longValue) === Seq(0, 5, 10))
  }

  test("the number of tracks equals the number of windows or points") {
    assert(FieldTrack.all(1, Long.MaxValue).size === 1)
    assert(FieldTrack.all(600, 1) === Seq(FieldTrack(1, 0, 1, overlaps = true)))
    assert(FieldTrack.all(3, 100).map(_.lane) === Seq(0, 1, 2))
    assert(FieldTrack.all(100, 3).map(_.point) === Seq(1, 2, 3))
  }

  test("each row enters once and leaves once, for any number of windows") {
    val values = new LongColumn(Memory.Unlimited, nullable = false)
    val steps = FieldSteps[Long](Some(1000L), Some(1L), 0L, None, all = true)
    val motion = new FieldMotion(
      new LongAxis("t", values, values, steps, 0L),
      FieldTrack.all(1000, 1).head,
      drain = true
    )
    var (entered, left) = (0L, 0L)
    motion.drive(new Accumulator {
      override def clear(): Unit = left = entered
      override def enter(from: Long, until: Long): Unit = entered += until - from
      override def leave(from: Long, until: Long): Unit = left += until - from
    })
    motion.startPartition()
    var windows = 0
    (0L until 5000L).foreach { i =>
      values.append(i * 3L)
      motion.arrive(i + 1L)
      while (motion.next(i + 1L, i == 4999L)) windows += 1
    }
    assert(windows === 15997)
    assert(entered === 5000L && left <= 5000L)
  }

  test("a window that rows never leave stores no rows") {
    val values = new LongColumn(Memory.Unlimited, nullable = false)
    val steps = FieldSteps[Long](Some(1000000L), None, 0L, None, all = false)
    val axis = new LongAxis("t", values, values, steps, 0L)
    val motion = new FieldMotion(axis, FieldTrack.all(1, 1).head, drain = true)
    assert(!motion.evicts)
    motion.startPartition()
    (0L until 1000L).foreach { i =>
      values.append(i)
      motion.arrive(i + 1L)
      assert(!motion.next(i + 1L, ended = false))
      assert(motion.floor === i + 1L)
    }
  }

  test("values that have no window are rejected") {
    def refused(condition: String, value: Option[String] = None)(body: => Unit): Any = {
      val error = intercept[InvalidWindowRowException](body)
      assert(error.condition === condition)
      assert(error.parameters.get("value") === value)
    }
    val isNull = "MUNTIN_NULL_WINDOW_FIELD"
    val tooFar = "MUNTIN_WINDOW_FIELD_OUT_OF_RANGE"
    val steps = FieldSteps[Long](Some(30L), Some(30L), 0L, None, all = false)
    val longs = new LongColumn(Memory.Unlimited, nullable = true)
    longs.appendNull()
    longs.append(Long.MaxValue - 59L)
    longs.append(Long.MinValue + 59L)
    longs.append(Long.MaxValue - 60L)
    longs.append(Long.MinValue + 60L)
    val axis = new LongAxis("t", longs, longs, steps, 0L)
    refused(isNull)(axis.check(0L))
    refused(tooFar, Some(s"${Long.MaxValue - 59L}"))(axis.check(1L))
    refused(tooFar, Some(s"${Long.MinValue + 59L}"))(axis.check(2L))
    Seq(3L, 4L).foreach { row =>
      axis.check(row)
      axis.openFirst(row)
      assert(axis.open <= longs(row) && axis.close > longs(row))
    }
    val doubles = new DoubleColumn(Memory.Unlimited, nullable = true)
    doubles.appendNull()
    Seq(Double.NaN, Double.NegativeInfinity, 1e17, -1e17, 1e16).foreach(doubles.append)
    val fine = new DoubleAxis("t", doubles, steps, 0, 0.0)
    refused(isNull)(fine.check(0L))
    refused("MUNTIN_WINDOW_FIELD_NOT_FINITE", Some("NaN"))(fine.check(1L))
    refused("MUNTIN_WINDOW_FIELD_NOT_FINITE", Some("-Infinity"))(fine.check(2L))
    refused("MUNTIN_WINDOW_FIELD_TOO_LARGE", Some("1.0E17"))(fine.check(3L))
    refused("MUNTIN_WINDOW_FIELD_TOO_LARGE", Some("-1.0E17"))(fine.check(4L))
    fine.check(5L)
    val wide = new Int128Column(Memory.Unlimited, nullable = true)
    wide.appendNull()
    Seq("9950", "-9950", "9939", "-9939").foreach(v => Wides.put(wide, new BigDecimal(v)))
    val limited = new WideAxis(
      "t",
      wide,
      wide,
      steps.map(BigInteger.valueOf),
      None,
      BigInteger.valueOf(10000L)
    )
    refused(isNull)(limited.check(0L))
    refused(tooFar, Some("9950 (unscaled)"))(limited.check(1L))
    refused(tooFar, Some("-9950 (unscaled)"))(limited.check(2L))
    limited.check(3L)
    limited.check(4L)
  }

  test("bounds of doubles are rounded once") {
    val steps = FieldSteps[Long](Some(1L), Some(1L), 0L, None, all = false)
    (0L to 6000L).foreach { i =>
      val value = BigDecimal.valueOf(i - 3000L, 1).doubleValue
      val cell = new DoubleColumn(Memory.Unlimited, nullable = false)
      cell.append(value)
      val own = new DoubleAxis("t", cell, steps, 1, 0.0)
      own.openFirst(0L)
      assert(own.open === value)
      assert(own.close === BigDecimal.valueOf(i - 2999L, 1).doubleValue)
    }
  }
}

object FieldMotionSuite extends Assertions {

  /** A result: the window, its point, and its rows. */
  final case class Answer(
      open: BigDecimal,
      close: Option[BigDecimal],
      emit: Option[BigDecimal],
      rows: Seq[Int]
  )

  def decimal(value: Long): BigDecimal = BigDecimal.valueOf(value)

  /** A class of numbers for the field. */
  sealed abstract class Line(val name: String) {
    def column(): Column
    def put(column: Column, value: BigDecimal): Unit
    def axis(
        values: Column,
        reach: Column,
        steps: FieldSteps[BigDecimal],
        known: Option[BigDecimal]
    ): FieldAxis
    def open(axis: FieldAxis): BigDecimal
    def close(axis: FieldAxis): BigDecimal
    def emit(axis: FieldAxis): BigDecimal

    def forgetting(column: Column): Forgetting

    /** Returns a number as a value of this class. */
    def rounded(value: BigDecimal): BigDecimal

    /** The factor of small whole numbers. */
    def unit: BigDecimal = BigDecimal.ONE

    def below(value: BigDecimal): BigDecimal
    def above(value: BigDecimal): BigDecimal
  }

  case object Longs extends Line("longs") {
    override def column(): Column = new LongColumn(Memory.Unlimited, nullable = false)
    override def put(column: Column, value: BigDecimal): Unit =
      column.asInstanceOf[LongColumn].append(value.longValueExact)
    override def axis(
        values: Column,
        reach: Column,
        steps: FieldSteps[BigDecimal],
        known: Option[BigDecimal]
    ): FieldAxis = new LongAxis(
      "t",
      values.asInstanceOf[LongColumn],
      reach.asInstanceOf[LongColumn],
      steps.map(_.longValueExact),
      known.fold(Long.MinValue)(_.longValueExact)
    )
    override def open(axis: FieldAxis): BigDecimal = decimal(axis.asInstanceOf[LongAxis].open)
    override def close(axis: FieldAxis): BigDecimal = decimal(axis.asInstanceOf[LongAxis].close)
    override def emit(axis: FieldAxis): BigDecimal = decimal(axis.asInstanceOf[LongAxis].emit)
    override def forgetting(column: Column): Forgetting =
      Forgetting(Kind.longs, column, Seq(Some(99999L), Some(-99999L)))
    override def below(value: BigDecimal): BigDecimal = value
    override def above(value: BigDecimal): BigDecimal = value
    override def rounded(value: BigDecimal): BigDecimal = value
  }

  case object Wides extends Line("128-bit integers") {
    private val far = new BigInteger("36893488147419103232001")
    override def column(): Column = new Int128Column(Memory.Unlimited, nullable = false)
    override def put(column: Column, value: BigDecimal): Unit = {
      val unscaled = value.toBigIntegerExact
      column.asInstanceOf[Int128Column].append(
        unscaled.shiftRight(64).longValue,
        unscaled.longValue
      )
    }
    override def axis(
        values: Column,
        reach: Column,
        steps: FieldSteps[BigDecimal],
        known: Option[BigDecimal]
    ): FieldAxis = new WideAxis(
      "t",
      values.asInstanceOf[Int128Column],
      reach.asInstanceOf[Int128Column],
      steps.map(_.toBigIntegerExact),
      known.map(_.toBigIntegerExact),
      BigInteger.TEN.pow(38)
    )
    override def open(axis: FieldAxis): BigDecimal = whole(axis.asInstanceOf[WideAxis].open)
    override def close(axis: FieldAxis): BigDecimal = whole(axis.asInstanceOf[WideAxis].close)
    override def emit(axis: FieldAxis): BigDecimal = whole(axis.asInstanceOf[WideAxis].emit)
    override def forgetting(column: Column): Forgetting =
      Forgetting(Kind.int128s, column, Seq(Some(BigInteger.ONE), Some(far.shiftLeft(1))))
    override val unit: BigDecimal = new BigDecimal(far)
    override def below(value: BigDecimal): BigDecimal = value.subtract(BigDecimal.ONE)
    override def above(value: BigDecimal): BigDecimal = value.add(BigDecimal.ONE)
    override def rounded(value: BigDecimal): BigDecimal = value
    private def whole(value: BigInteger): BigDecimal = new BigDecimal(value)
  }

  /** Tenths: steps are a tenth of the steps of the other classes. */
  case object Doubles extends Line("doubles") {
    override def column(): Column = new DoubleColumn(Memory.Unlimited, nullable = false)
    override def put(column: Column, value: BigDecimal): Unit =
      column.asInstanceOf[DoubleColumn].append(value.doubleValue)
    override def axis(
        values: Column,
        reach: Column,
        steps: FieldSteps[BigDecimal],
        known: Option[BigDecimal]
    ): FieldAxis = new DoubleAxis(
      "t",
      values.asInstanceOf[DoubleColumn],
      steps.map(_.setScale(1).unscaledValue.longValueExact),
      1,
      known.fold(Double.NegativeInfinity)(_.doubleValue)
    )
    override def open(axis: FieldAxis): BigDecimal = exact(axis.asInstanceOf[DoubleAxis].open)
    override def close(axis: FieldAxis): BigDecimal = exact(axis.asInstanceOf[DoubleAxis].close)
    override def emit(axis: FieldAxis): BigDecimal = exact(axis.asInstanceOf[DoubleAxis].emit)
    override def forgetting(column: Column): Forgetting =
      Forgetting(Kind.doubles, column, Seq(Some(99999.0), Some(Double.NaN)))
    override val unit: BigDecimal = new BigDecimal("0.1")
    override def below(value: BigDecimal): BigDecimal = exact(Math.nextDown(value.doubleValue))
    override def above(value: BigDecimal): BigDecimal = exact(Math.nextUp(value.doubleValue))
    override def rounded(value: BigDecimal): BigDecimal = exact(value.doubleValue)
    private def exact(value: Double) = new BigDecimal(value)
  }

  def randomSteps(random: Random): FieldSteps[BigDecimal] = {
    def upTo(n: Int) = 1 + random.nextInt(n)
    val size = upTo(20)
    val kind = random.nextInt(10)
    val sized = Option.when(kind > 0)(size)
    val advance = Option.when(kind > 2)(if (kind < 5) size else upTo(size))
    val every = Option.when(random.nextInt(3) == 0)(if (kind > 0) upTo(size) else upTo(9))
    FieldSteps(
      sized.map(decimal(_)),
      advance.map(decimal(_)),
      decimal(if (kind > 2) random.nextInt(61) - 30 else 0),
      every.map(decimal(_)),
      random.nextBoolean()
    )
  }

  /** Sorted, with ties, small steps and gaps; sometimes between the bounds. */
  def randomValues(random: Random, size: Option[BigDecimal] = None): Seq[BigDecimal] = {
    val step = Seq(1, 3, 30)(random.nextInt(3))
    // Often just a gap, or almost a gap.
    val gap = size.filter(_ => random.nextBoolean())
      .fold(random.nextInt(60))(s => math.max(s.intValue - 3 + random.nextInt(5), 0))
    Iterator
      .iterate(random.nextInt(81) - 40) { v =>
        v + (random.nextInt(8) match {
          case 0 => gap
          case 1 => 0
          case _ => random.nextInt(step)
        })
      }
      .take(random.nextInt(14))
      .map(v => decimal(v.toLong))
      .toSeq
  }

  def check(
      line: Line,
      small: FieldSteps[BigDecimal],
      drain: Boolean,
      greatest: Option[BigDecimal],
      whole: Seq[BigDecimal]
  ): Any = {
    def scaled(value: BigDecimal) = value.multiply(line.unit)
    val steps = small.map(scaled)
    val random = new Random(whole.hashCode)
    val rows = whole.map { v =>
      // A neighbor of a bound is also on the right side of it.
      val value = line.rounded(scaled(v))
      random.nextInt(6) match {
        case 0 => line.below(value)
        case 1 => line.above(value)
        case _ => value
      }
    }.sorted
    val known = greatest.map(g => (line.rounded(scaled(g)) +: rows).max)
    val expected = reference(rows, steps, drain, known, line.rounded)
    val found = driven(rows.map(v => (v, v)), steps, drain, known, line)
    assert(found === expected, s"$steps drain $drain known $known of ${rows.mkString(" ")}")
  }

  /** The results of the motions, row by row, after another group, whose state must not remain. */
  def driven(
      rows: Seq[(BigDecimal, BigDecimal)],
      steps: FieldSteps[BigDecimal],
      drain: Boolean,
      known: Option[BigDecimal],
      line: Line
  ): Seq[Answer] = {
    val (values, reach) = (line.column(), line.column())
    def ratio(a: BigDecimal, b: BigDecimal) =
      a.divide(b, 0, java.math.RoundingMode.CEILING).longValueExact
    val windows = steps.advance.fold(1L)(ratio(steps.size.get, _))
    val points = steps.every.fold(1L)(e => steps.size.fold(Long.MaxValue)(ratio(_, e)))
    val tracks = FieldTrack.all(windows, points).map { track =>
      val axis = line.axis(values, reach, steps, known)
      val motion = new FieldMotion(axis, track, drain)
      val held = new HeldRows(motion.evicts)
      motion.drive(held)
      values.addReader(motion)
      reach.addReader(motion)
      (axis, motion, held)
    }
    val forgetting = Seq(values, reach).map(line.forgetting)
    def answer(axis: FieldAxis, motion: FieldMotion, held: HeldRows) = {
      assert(held.rows === (motion.start until motion.end))
      val close = steps.size.map(_ => line.close(axis))
      val emit = steps.every.flatMap { _ =>
        if (axis.isLast && steps.size.isEmpty) None else Some(line.emit(axis))
      }
      Answer(line.open(axis), close, emit, held.rows.map(_.toInt))
    }
    def walk(all: Seq[(BigDecimal, BigDecimal)]): Seq[Answer] = {
      val answers = mutable.ArrayBuffer.empty[Answer]
      val waiting = mutable.Set.empty[Int]
      values.clear()
      reach.clear()
      forgetting.foreach(_.startPartition())
      tracks.foreach(_._2.startPartition())
      all.zipWithIndex.foreach { case ((least, most), i) =>
        line.put(values, least)
        line.put(reach, most)
        val arrived = i + 1L
        val ended = arrived == all.size
        tracks.foreach(_._2.arrive(arrived))
        var more = true
        while (more) {
          tracks.indices.filterNot(waiting).foreach { t =>
            if (tracks(t)._2.next(arrived, ended)) waiting += t
          }
          val floor = tracks.map(_._2.floor).min
          assert(floor <= arrived)
          forgetting.foreach(_.forget(floor))
          val first = waiting.toSeq.reduceOption { (a, b) =>
            if (tracks(b)._1.isBefore(tracks(a)._1)) b else a
          }
          first.foreach { t =>
            waiting -= t
            answers += (answer _).tupled(tracks(t))
          }
          more = first.nonEmpty
        }
      }
      answers.toSeq
    }
    walk(rows.drop(2)): Unit
    walk(rows)
  }

  /** A literal implementation of the specification: row by row, with the open windows. */
  def reference(
      rows: Seq[BigDecimal],
      steps: FieldSteps[BigDecimal],
      drain: Boolean,
      known: Option[BigDecimal],
      rounded: BigDecimal => BigDecimal
  ): Seq[Answer] = {
    final class Window(
        val open: BigDecimal,
        val close: Option[BigDecimal],
        at: Long => BigDecimal
    ) {
      val held = mutable.ArrayBuffer.empty[Int]
      private var next = 1L

      /** The points after the opening that time has reached. */
      def points(time: BigDecimal): Seq[BigDecimal] =
        if (steps.every.isEmpty) Nil
        else {
          val found = Iterator.from(0).map(i => next + i)
            .takeWhile(j =>
              steps.size.forall(s => steps.every.get.multiply(decimal(j)).compareTo(s) < 0)
            )
            .map(at).takeWhile(_.compareTo(time) <= 0).toSeq
          next += found.size
          found
        }

      def isClosed(time: BigDecimal): Boolean = close.exists(_.compareTo(time) <= 0)

      def answer(emit: Option[BigDecimal]): Answer =
        Answer(open, close, if (steps.every.isEmpty) None else emit, held.toSeq)
    }

    val out = mutable.ArrayBuffer.empty[(Option[BigDecimal], Answer)]
    var open = Seq.empty[Window]

    def moveTo(time: BigDecimal): Unit = {
      open.foreach { w =>
        w.points(time).filter(_ => w.held.nonEmpty)
          .foreach(p => out += ((Some(p), w.answer(Some(p)))))
        if (w.isClosed(time)) out += ((w.close, w.answer(w.close)))
      }
      open = open.filterNot(_.isClosed(time))
    }

    def aligned(k: Long): Window = {
      def bound(plus: BigDecimal) =
        rounded(steps.offset.add(steps.advance.get.multiply(decimal(k))).add(plus))
      new Window(
        bound(BigDecimal.ZERO),
        Some(bound(steps.size.get)),
        j => bound(steps.every.get.multiply(decimal(j)))
      )
    }

    def latest(value: BigDecimal): Long = {
      val near =
        value.subtract(steps.offset).divide(steps.advance.get, 0, java.math.RoundingMode.FLOOR)
          .longValueExact
      (near - 2L to near + 2L).filter(aligned(_).open.compareTo(value) <= 0).max
    }

    var last = Option.empty[BigDecimal]
    var opened = Long.MinValue
    rows.zipWithIndex.foreach { case (value, i) =>
      moveTo(value)
      def isGap = last.forall { l =>
        value.compareTo(rounded(l.add(rounded(steps.size.get)))) >= 0
      }
      if (steps.advance.isEmpty) {
        if (open.isEmpty) {
          open = Seq(new Window(
            value,
            steps.size.map(s => rounded(value.add(rounded(s)))),
            j => rounded(value.add(rounded(steps.every.get.multiply(decimal(j)))))
          ))
        }
      } else {
        val k = latest(value)
        val opening =
          if (isGap) {
            if (!steps.all) Seq(k)
            else Iterator.iterate(k)(_ - 1L).takeWhile(j => !aligned(j).isClosed(value)).toSeq
          } else latest(last.get) + 1L to k
        // If sums are rounded, a window may be open after a gap according to another sum.
        open ++= opening.filter(_ > opened).map(aligned).filterNot(_.isClosed(value))
        opened = math.max(opened, k)
      }
      // Points up to the first row are before it.
      open.foreach(w => if (w.held.isEmpty) w.points(value))
      open.foreach(_.held += i)
      last = Some(value)
    }
    known.foreach(moveTo)
    if (drain) open.foreach(w => out += ((w.close, w.answer(w.close))))
    out.toSeq.sortWith { case ((a, x), (b, y)) =>
      val order = (a, b) match {
        case (Some(p), Some(q)) => p.compareTo(q)
        case (p, q) => p.isEmpty.compareTo(q.isEmpty)
      }
      order < 0 || (order == 0 && x.open.compareTo(y.open) < 0)
    }.map(_._2)
  }
}

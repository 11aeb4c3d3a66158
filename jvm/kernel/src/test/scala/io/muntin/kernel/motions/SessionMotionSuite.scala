package io.muntin.kernel.motions

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import io.muntin.kernel.HeldRows
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SessionMotionSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import SessionMotionSuite._

  private val partitions = Gen.nonEmptyListOf(someTimes)

  test("everything since the last gap, and the number of the session") {
    forAll(partitions, Gen.choose(1L, 12L), Gen.oneOf(true, false)) {
      (partitions, gap, descending) =>
        val column = new LongColumn(Memory.Unlimited, nullable = true)
        val times = new LongSessionTimes(column, column, gap, descending, Long.MinValue)
        val motion = new SessionMotion(times, isNumbered = true)
        column.addReader(motion)
        val held = new HeldRows(evicts = false)
        motion.drive(held)
        partitions.foreach { ascending =>
          val rows = if (descending) ascending.reverse else ascending
          column.clear()
          motion.startPartition()
          val numbers = sessions(rows.map(_.map(BigDecimal(_))), BigDecimal(gap))
          rows.indices.foreach { row =>
            append(column, rows(row))
            motion.arrive(row + 1L)
            assert(motion.isReady(row.toLong, row + 1L, ended = false))
            motion.advance(row.toLong)
            assert(motion.number === numbers(row))
            assert(held.rows === (0 to row).filter(numbers(_) == numbers(row)))
            assert(held.rows === (motion.start until motion.end))
          }
        }
    }
  }

  test("times at the ends of long") {
    val rows = Seq(Long.MinValue, Long.MinValue + 1L, -1L, 0L, Long.MaxValue - 1L, Long.MaxValue)
    for (gap <- Seq(1L, 2L, Long.MaxValue)) {
      val numbers = sessions(rows.map(r => Some(BigDecimal(r))), BigDecimal(gap))
      assert(numbered(rows.map(Some(_)), gap) === numbers)
    }
  }

  test("doubles: NaN, infinities and nulls are separate sessions") {
    val inf = Double.PositiveInfinity
    val rows = Seq[Option[Double]](
      None,
      None,
      Some(-inf),
      Some(-inf),
      Some(-0.0),
      Some(0.0),
      Some(0.5),
      Some(1.25),
      Some(2.5),
      Some(inf),
      Some(inf),
      Some(Double.NaN),
      Some(Double.NaN)
    )
    val expected = Seq(1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6, 6)
    Seq(false, true).foreach { descending =>
      val column = new DoubleColumn(Memory.Unlimited, nullable = true)
      val times =
        new DoubleSessionTimes(column, column, 1.0, descending, Double.NegativeInfinity)
      val motion = new SessionMotion(times, isNumbered = true)
      column.addReader(motion)
      motion.startPartition()
      val found = (if (descending) rows.reverse else rows).zipWithIndex.map { case (value, row) =>
        value.fold(column.appendNull())(column.append)
        motion.advance(row.toLong)
        motion.number
      }
      assert(found === (if (descending) expected.map(7 - _).reverse else expected))
    }
  }

  test("from replayed rows on, and from a saved state") {
    forAll(someTimes, Gen.choose(1L, 12L), Gen.listOf(Gen.choose(1, 9)), Gen.oneOf(true, false)) {
      (rows, gap, cuts, saves) =>
        val column = new LongColumn(Memory.Unlimited, nullable = true)
        val times = new LongSessionTimes(column, column, gap, false, Long.MinValue)
        val motion = new SessionMotion(times, isNumbered = false)
        column.addReader(motion)
        val held = if (saves) None else Some(new HeldRows(evicts = false))
        held.foreach(motion.drive(_))
        val numbers = sessions(rows.map(_.map(BigDecimal(_))), BigDecimal(gap))
        var saved = Array.emptyByteArray
        var first = 0
        var next = 0
        (cuts :+ rows.size).foreach { size =>
          column.clear(first.toLong)
          motion.startPartition(first.toLong)
          if (saves && saved.nonEmpty) {
            motion.resume(new DataInputStream(new ByteArrayInputStream(saved)))
          }
          (first until next).foreach { row =>
            append(column, rows(row))
            if (!saves) motion.advance(row.toLong): Unit
          }
          (next until math.min(rows.size, next + size)).foreach { row =>
            append(column, rows(row))
            motion.advance(row.toLong)
            val session = (0 to row).filter(numbers(_) == numbers(row))
            assert(motion.start === session.head)
            held.foreach(h => assert(h.rows === session))
            next = row + 1
          }
          val out = new ByteArrayOutputStream
          motion.save(new DataOutputStream(out))
          saved = out.toByteArray
          first = (if (saves) motion.floor else motion.start).toInt
        }
    }
  }

  test("a bound drops a session that is over, unless sessions have numbers") {
    def kept(bound: Long, isNumbered: Boolean): (Boolean, Long) = {
      val column = new LongColumn(Memory.Unlimited, nullable = false)
      val times = new LongSessionTimes(column, column, 10L, false, Long.MinValue)
      val motion = new SessionMotion(times, isNumbered)
      motion.startPartition()
      Seq(1L, 2L, 20L, 25L).zipWithIndex.foreach { case (time, row) =>
        column.append(time)
        motion.advance(row.toLong)
      }
      assert(!motion.isOver(-1L))
      column.append(bound)
      (motion.isOver(4L), motion.oldestNeeded(4L))
    }
    assert(kept(35L, isNumbered = false) === ((false, 2L)))
    assert(kept(36L, isNumbered = false) === ((true, 4L)))
    assert(kept(99L, isNumbered = true) === ((false, 2L)))
  }

  private def numbered(rows: Seq[Option[Long]], gap: Long): Seq[Long] = {
    val column = new LongColumn(Memory.Unlimited, nullable = true)
    val times = new LongSessionTimes(column, column, gap, false, Long.MinValue)
    val motion = new SessionMotion(times, isNumbered = true)
    column.addReader(motion)
    motion.startPartition()
    rows.zipWithIndex.map { case (time, row) =>
      append(column, time)
      motion.advance(row.toLong)
      motion.number
    }
  }
}

object SessionMotionSuite {

  /** Times that ascend, with ties and gaps, after times that are null. */
  val someTimes: Gen[Seq[Option[Long]]] = for {
    nulls <- Gen.choose(0, 2)
    first <- Gen.choose(-50L, 50L)
    step = Gen.frequency(6 -> Gen.choose(0L, 6L), 2 -> Gen.choose(0L, 30L))
    steps <- Gen.choose(0, 60).flatMap(Gen.listOfN(_, step))
  } yield Seq.fill(nulls)(None) ++ steps.scanLeft(first)(_ + _).map(Some(_))

  /** The number of each row's session, by definition. */
  def sessions(times: Seq[Option[BigDecimal]], gap: BigDecimal): Seq[Int] =
    times.indices.map { row =>
      1 + (1 to row).count { i =>
        (times(i - 1), times(i)) match {
          case (Some(before), Some(time)) => (time - before).abs > gap
          case (before, time) => before.isDefined != time.isDefined
        }
      }
    }

  def append(column: LongColumn, time: Option[Long]): Unit =
    time.fold(column.appendNull())(column.append)
}

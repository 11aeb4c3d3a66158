package io.muntin.kernel.extremes

import io.muntin.kernel.{Cases, CountingMemory, Forgetting, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{FrameMotion, RowsEdge}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SharedExtremesSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(100))

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit =
    test(s"${kind.name}: each of many frames selects the row that brute force selects") {
      val frames = Gen.choose(2, 5).flatMap(Gen.listOfN(_, Gen.choose(0, 200)))
      forAll(
        kind.values(Gen.choose(1, 300)),
        frames,
        Gen.choose(-30, 5),
        Gen.oneOf(1, -1),
        Gen.oneOf(true, false)
      ) { (values, reaches, end, sign, latest) =>
        val memory = new CountingMemory
        val column = kind.column(memory)
        val shared = new SharedExtremes(memory, column, sign, latest)
        val motions = reaches.map { reach =>
          // A frame that reaches less far than its own end is empty.
          new FrameMotion(new RowsEdge(end - reach.toLong), new RowsEdge(end.toLong))
        }
        val views = motions.map { motion =>
          val view = shared.view(column)
          motion.drive(view)
          column.addReader(motion)
          view
        }
        val c = ExtremeSuite.Case(sign, latest, 1, Vector.empty, Nil)
        (1 to 2).foreach { round =>
          val rows = if (round == 1) values else values.reverse
          column.clear()
          shared.startPartition(0L)
          motions.foreach(_.startPartition(0L))
          var row = 0
          var arrived = 0
          while (row < rows.size) {
            while (arrived < rows.size && arrived < row + math.max(end, 1)) {
              kind.append(column, rows(arrived))
              arrived += 1
              motions.foreach(_.arrive(arrived.toLong))
            }
            assert(motions.forall(_.isReady(row.toLong, arrived.toLong, arrived == rows.size)))
            motions.zip(views).zip(reaches).foreach { case ((motion, view), reach) =>
              motion.advance(row.toLong): Unit
              val until = math.max(0, math.min(rows.size, row + end))
              val from = math.max(0, math.min(until, row + end - reach))
              val expected = ExtremeSuite.pick(kind.order, from until until, rows, c)
              assert(view.position === expected, s"row $row, $from until $until")
            }
            row += 1
          }
        }
        shared.close()
        column.close()
        assert(memory.held === 0L)
      }
    }

  test("frames that jump past their end, and are read at different times") {
    val steps = Gen.listOfN(150, Gen.oneOf(Gen.choose(0, 3), Gen.choose(0, 40)))
    forAll(Kind.longs.values(Gen.const(300)), Gen.listOfN(3, steps), steps) {
      (values, starts, ends) =>
        val column = new LongColumn(Memory.Unlimited, nullable = true)
        val junk = Vector(None, Some(Long.MaxValue), Some(5L))
        val his = ends.scanLeft(0)(_ + _).map(math.min(_, values.size))
        val floors = Array.fill(starts.size)(0L)
        floors.indices.foreach { i =>
          column.addReader(new Column.Reader { override def floor: Long = floors(i) })
        }
        val forgetting = Forgetting(Kind.longs, column, junk)
        val shared = new SharedExtremes(Memory.Unlimited, column, 1, false)
        val views = starts.map(_ => shared.view(column))
        shared.startPartition(0L)
        views.foreach(_.clear())
        val los = starts.map(_.scanLeft(0)(_ + _))
        val c = ExtremeSuite.Case(1, false, 1, Vector.empty, Nil)
        val before = Array.fill(starts.size)((0, 0))
        his.indices.foreach { step =>
          val hi = his(step)
          (column.size.toInt until hi).foreach(p => Kind.longs.append(column, values(p)))
          views.indices.foreach { i =>
            val (lo0, hi0) = before(i)
            val lo = math.min(los(i)(step), hi)
            if (lo >= hi0) {
              if (hi0 > lo0) views(i).clear()
              if (lo < hi) views(i).enter(lo.toLong, hi.toLong)
            } else {
              if (lo > lo0) views(i).leave(lo0.toLong, lo.toLong)
              if (hi > hi0) views(i).enter(hi0.toLong, hi.toLong)
            }
            before(i) = (lo, hi)
            val expected = ExtremeSuite.pick(Kind.longs.order, lo until hi, values, c)
            assert(views(i).position === expected)
            floors(i) = lo.toLong
          }
          forgetting.forget(floors.min)
        }
    }
  }

  test("rows that are worse than all earlier rows stay while they are in a frame") {
    val memory = new CountingMemory
    val column = new LongColumn(memory, nullable = false)
    val shared = new SharedExtremes(memory, column, 1, false)
    val (short, long) = (shared.view(column), shared.view(column))
    var oldest = 0L
    column.addReader(new Column.Reader { override def floor: Long = oldest })
    shared.startPartition(0L)
    var largest = 0L
    (0L until 20_000L).foreach { p =>
      column.append(-p)
      Seq(short -> 10L, long -> 1000L).foreach { case (view, width) =>
        if (p >= width) view.leave(p - width, p - width + 1)
        view.enter(p, p + 1)
        assert(view.position === math.max(0L, p - width + 1))
      }
      oldest = math.max(0L, p - 999L)
      largest = math.max(largest, memory.held)
    }
    assert(largest < 2 * 8 * 2048 + 2 * 8 * 2048)
  }
}

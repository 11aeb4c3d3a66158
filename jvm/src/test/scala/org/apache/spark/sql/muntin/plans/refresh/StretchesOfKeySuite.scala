package org.apache.spark.sql.muntin.plans.refresh

import scala.util.Random

import io.muntin.kernel.{Cases, MuntinSuite}
import org.apache.spark.sql.muntin.plans.refresh.StretchesOfKey.Stretch

/** The stretches of one key, against all frames of its rows before and after changes. */
final class StretchesOfKeySuite extends MuntinSuite {

  /** A row: its time, and its place among rows of equal times. */
  private type RowOf = (Double, Int)

  private val rowsBehind = Reach(Some(Distance(0.0, 2)), Some(Distance.Zero))

  private def found(reaches: Seq[Reach], times: Seq[Double], isCut: Boolean = false)(
      points: Double*
  ): Option[Seq[Stretch]] = new StretchesOfKey(reaches, times.toArray, isCut).of(points.toArray)

  test("RANGE 7 PRECEDING") {
    val reach = Reach(Some(Distance(7.0, 0)), Some(Distance.Zero))
    assert(found(Seq(reach), Nil)(100, 103, 900) === Some(Seq(
      Stretch(100, 110, 93, 110),
      Stretch(900, 907, 893, 907)
    )))
  }

  test("ROWS 2 PRECEDING") {
    val times = Seq[Double](80, 90, 90, 100, 120, 130, 140)
    assert(found(Seq(rowsBehind), times)(100) === Some(Seq(Stretch(100, 130, 90, 130))))
    assert(found(Seq(rowsBehind), times)(85) === Some(Seq(Stretch(85, 90, 80, 90))))
    // A deleted row after all others.
    assert(found(Seq(rowsBehind), times)(150) === Some(Seq(Stretch(150, 150, 130, 150))))
    // All rows are deleted.
    assert(found(
      Seq(rowsBehind),
      Nil
    )(5, 7) === Some(Seq(Stretch(5, 5, 5, 5), Stretch(7, 7, 7, 7))))
  }

  test("times that begin too late") {
    val times = Seq[Double](90, 100, 120)
    assert(found(Seq(rowsBehind), times, isCut = true)(100) === None)
    assert(found(Seq(rowsBehind), times, isCut = true)(120) ===
      Some(Seq(Stretch(120, 120, 90, 120))))
  }

  test("a time that is not known, and unknown distances") {
    assert(found(Seq(rowsBehind), Seq(1.0))(1.0, Double.NaN) === Some(Seq(StretchesOfKey.Whole)))
    val running = Reach(None, Some(Distance.Zero))
    assert(found(Seq(rowsBehind, running), Seq(1.0, 2.0))(1.0) ===
      Some(Seq(Stretch(
        1.0,
        Double.PositiveInfinity,
        Double.NegativeInfinity,
        Double.PositiveInfinity
      ))))
  }

  /** Returns the rows that the result at `i` depends on, through all operators. */
  private def inputs(rows: IndexedSeq[RowOf], i: Int, reaches: Seq[Reach]): Set[RowOf] =
    reaches.foldRight(Set(i)) { (reach, results) =>
      results.flatMap(read(rows, _, reach))
    }.map(rows(_))

  private def read(rows: IndexedSeq[RowOf], i: Int, reach: Reach): Set[Int] = {
    val (behind, ahead) = (reach.behind.get, reach.ahead.get)
    rows.indices.filter { j =>
      val distance = rows(j)._1 - rows(i)._1
      j >= i - behind.rows && j <= i + ahead.rows ||
      distance >= -behind.time && distance <= ahead.time
    }.toSet
  }

  test("each result that changes is in a stretch, and so are the rows that it reads") {
    for (seed <- 1 to Cases(400).value) {
      val random = new Random(seed.toLong)
      def made(): RowOf = (random.nextInt(30).toDouble, random.nextInt(1000))
      def distance() = Some(random.nextInt(3) match {
        case 0 => Distance.Zero
        case 1 => Distance(0.0, random.nextInt(4))
        case _ => Distance(random.nextInt(4).toDouble, random.nextInt(3))
      })
      val reaches = Seq.fill(1 + random.nextInt(3))(Reach(distance(), distance()))
      val before = Seq.fill(random.nextInt(20))(made()).distinct
      val deleted = random.shuffle(before).take(random.nextInt(3))
      val inserted = Seq.fill(random.nextInt(3))(made()).distinct.diff(before)
      val old = before.sorted.toIndexedSeq
      val now = (before.diff(deleted) ++ inserted).sorted.toIndexedSeq
      val changed = deleted ++ inserted
      if (changed.nonEmpty) {
        val times = now.map(_._1)
        val stretches = found(reaches, times)(changed.map(_._1): _*).get
        val of = (row: RowOf) => stretches.find(s => s.lo <= row._1 && row._1 <= s.hi)
        for (i <- now.indices) {
          val row = now(i)
          val needed = inputs(now, i, reaches)
          of(row) match {
            case Some(s) =>
              assert(needed.forall(r => s.readLo <= r._1 && r._1 <= s.readHi), (seed, row, s))
            case None => assert(
                old.contains(row) && inputs(old, old.indexOf(row), reaches) == needed,
                (seed, row)
              )
          }
        }
        // The former results of deleted rows are removed.
        assert(deleted.forall(of(_).isDefined))
        assert(stretches.zip(stretches.drop(1)).forall { case (a, b) => a.hi < b.lo })
        // A part of the times has enough rows, or is known not to have.
        val from = random.nextInt(30).toDouble
        if (changed.forall(_._1 >= from)) {
          val some = found(reaches, times.filter(_ >= from), isCut = true)(changed.map(_._1): _*)
          assert(some.forall(_ === stretches), seed)
        }
      }
    }
  }
}

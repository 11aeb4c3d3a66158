package org.apache.spark.sql.muntin.plans.refresh

import scala.util.Random

import io.muntin.kernel.{Cases, MuntinSuite}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.muntin.plans.refresh.StretchesOfKey.Stretch
import org.apache.spark.sql.types.BooleanType

/** The stretches of one key, against all frames of its rows before and after changes. */
final class StretchesOfKeySuite extends MuntinSuite {

  /** A row: its time, its place among rows of equal times, and whether a condition is true. */
  private type RowOf = (Double, Int, Boolean)

  private val AllRows = Literal.TrueLiteral
  private val Marked = AttributeReference("marked", BooleanType)()

  private def rows(count: Int, condition: Expression = AllRows): Distance =
    Distance(0.0, if (count == 0) Nil else Seq(RowsWhere(condition, count.toLong)))

  private val rowsBehind = Reach(Some(rows(2)), Some(Distance.Zero))

  private def found(
      reaches: Seq[Reach],
      times: Seq[Double],
      isCut: Boolean = false,
      marked: Seq[Double] = Nil
  )(points: Double*): Option[Seq[Stretch]] = {
    val places = Map[Expression, Array[Double]](AllRows -> times.toArray, Marked -> marked.toArray)
    new StretchesOfKey(reaches, places, isCut).of(points.toArray)
  }

  test("RANGE 7 PRECEDING") {
    val reach = Reach(Some(Distance(7.0)), Some(Distance.Zero))
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

  test("since and session") {
    val since = Reach(Some(rows(1, Marked)), Some(Distance.Zero))
    val times = Seq[Double](70, 80, 90, 130, 140)
    assert(found(Seq(since), times, marked = Seq[Double](80, 130))(100.0) ===
      Some(Seq(Stretch(100, 130, 80, 130))))
    assert(found(Seq(since), times, marked = Nil)(100.0) === Some(Seq(Stretch(100, 140, 70, 140))))
    val session = Reach(Some(Distance(0.0, gap = Some(10.0))), Some(Distance.Zero))
    assert(found(Seq(session), Seq[Double](70, 85, 92, 108, 125))(100) ===
      Some(Seq(Stretch(100, 108, 85, 108))))
    // A deleted row has joined two sessions.
    assert(found(
      Seq(session),
      Seq[Double](70, 91, 109)
    )(100) === Some(Seq(Stretch(100, 109, 91, 109))))
    assert(found(Seq(session), Seq[Double](91, 109), isCut = true)(100.0) === None)
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
    def isNear(j: Int, gap: Double) = rows(j + 1)._1 - rows(j)._1 <= gap
    /* The first row that is read, and the last one. */
    val first = (behind.rows.map {
      case RowsWhere(Marked, n) =>
        (0 to i).filter(rows(_)._3).takeRight(n.toInt).headOption
          .filter(_ => (0 to i).count(rows(_)._3) >= n).getOrElse(0)
      case RowsWhere(_, n) => math.max(0, i - n.toInt)
    } ++ behind.gap.map(g => Iterator.iterate(i)(_ - 1).find(j => j == 0 || !isNear(j - 1, g)).get))
      .minOption.getOrElse(i)
    val last = (ahead.rows.map {
      case RowsWhere(Marked, n) =>
        (i + 1 until rows.size).filter(rows(_)._3).drop(n.toInt - 1).headOption
          .getOrElse(rows.size - 1)
      case RowsWhere(_, n) => math.min(rows.size - 1, i + n.toInt)
    } ++ ahead.gap.map(g =>
      Iterator.iterate(i)(_ + 1).find(j => j == rows.size - 1 || !isNear(j, g)).get
    )).maxOption.getOrElse(i)
    rows.indices.filter { j =>
      val distance = rows(j)._1 - rows(i)._1
      j >= first && j <= last || distance >= -behind.time && distance <= ahead.time
    }.toSet
  }

  test("each result that changes is in a stretch, and so are the rows that it reads") {
    for (seed <- 1 to Cases(400).value) {
      val random = new Random(seed.toLong)
      def made(): RowOf =
        (random.nextInt(30).toDouble, random.nextInt(1000), random.nextInt(3) == 0)
      def distance() = Some(random.nextInt(6) match {
        case 0 => Distance.Zero
        case 1 => rows(random.nextInt(4))
        case 2 => rows(random.nextInt(3), Marked)
        case 3 => Distance(0.0, gap = Some(random.nextInt(4).toDouble))
        case 4 => rows(1, Marked).max(rows(1)).max(Distance(1.0))
        case _ => rows(random.nextInt(3)).copy(time = random.nextInt(4).toDouble)
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
        val marked = now.filter(_._3).map(_._1)
        val stretches = found(reaches, times, marked = marked)(changed.map(_._1): _*).get
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
          val some = found(
            reaches,
            times.filter(_ >= from),
            isCut = true,
            marked.filter(_ >= from)
          )(changed.map(_._1): _*)
          assert(some.forall(_ === stretches), seed)
        }
      }
    }
  }
}

package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.{Cases, NonMonotonic, SampledTests}
import io.muntin.kernel.columns.{DoubleColumn, LongColumn, OffsetDoubles, OffsetLongs, OffsetPeers}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatest.Assertions
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class NonMonotonicMotionSuite extends SampledTests with ScalaCheckPropertyChecks {
  import NonMonotonicMotionSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(30))

  for {
    lower <- ends
    upper <- ends
    if lower.isNonMonotonic || upper.isNonMonotonic
  } sampledTest(s"from ${lower.name} to ${upper.name}") {
    forAll(partitions, Gen.oneOf(holes), Gen.choose(1, 60))(check(lower, upper))
  }

  test("ends that only move forward need one chain, and rows enter once") {
    val offsets = new LongColumn(Memory.Unlimited, false)
    val motion =
      new NonMonotonicMotion(
        new NonMonotonicRows(offsets, -1, 0L, true),
        new RowsEdge(1),
        true,
        false,
        None
      )
    var entered = 0L
    var views = 0
    motion.open { chain =>
      views += 1
      chain.drive(new io.muntin.kernel.Accumulator {
        override def clear(): Unit = ()
        override def enter(from: Long, until: Long): Unit = entered += until - from
        override def leave(from: Long, until: Long): Unit = ()
      })
    }
    motion.startPartition()
    (0L until 1000L).foreach { row =>
      offsets.addReader(motion)
      offsets.append(math.min(row, 9L))
      motion.arrive(row + 1)
      assert(motion.isImmediate && motion.isReady(row, row + 1, ended = false))
      motion.advance(row): Unit
    }
    assert(entered === 1000L)
    assert(views === 2)
  }

  test("a bound that overflows a long is after all keys") {
    val keys = new LongColumn(Memory.Unlimited, false)
    val offsets = new LongColumn(Memory.Unlimited, false)
    Seq(Long.MinValue, 0L, Long.MaxValue).foreach { key =>
      keys.append(key)
      offsets.append(Long.MaxValue)
    }
    def seek(sign: Int, after: Boolean): Seq[Long] = {
      val edge = new NonMonotonicKeys(new OffsetLongs(keys, false, false, offsets, sign), after)
      (0L to 2L).map(row => edge.seek(1L, row, 3L))
    }
    assert(seek(1, after = false) === Seq(1L, 2L, 3L))
    assert(seek(-1, after = false) === Seq(0L, 1L, 1L))
    assert(seek(1, after = true) === Seq(1L, 3L, 3L))
    assert(seek(-1, after = true) === Seq(0L, 1L, 2L))
  }
}

object NonMonotonicMotionSuite extends Assertions {

  /** A partition: keys in order, and the reach of each row's frame on both sides. */
  final case class Partition(
      keys: Vector[Option[Long]],
      descending: Boolean,
      nullsFirst: Boolean,
      offsets: Vector[(Long, Long)]
  ) {
    def size: Int = keys.size

    def compare(a: Option[Long], b: Option[Long]): Int = (a, b) match {
      case (None, None) => 0
      case (None, _) => if (nullsFirst) -1 else 1
      case (_, None) => if (nullsFirst) 1 else -1
      case (Some(x), Some(y)) => if (descending) y.compare(x) else x.compare(y)
    }

    val peers: Vector[Long] = keys.indices.drop(1).scanLeft(0L) { (n, i) =>
      if (compare(keys(i - 1), keys(i)) == 0) n else n + 1
    }.toVector.take(size)
  }

  final class Inputs(p: Partition) {
    private def longs(nullable: Boolean) = {
      val column = new LongColumn(Memory.Unlimited, nullable)
      column.addReader(io.muntin.kernel.columns.Column.RetainAll)
      column
    }
    val witness = longs(false)
    val peers = longs(false)
    val keys = longs(true)
    val doubles = new DoubleColumn(Memory.Unlimited, true)
    doubles.addReader(io.muntin.kernel.columns.Column.RetainAll)
    val before = longs(false)
    val after = longs(false)
    val halves = new DoubleColumn(Memory.Unlimited, false)
    halves.addReader(io.muntin.kernel.columns.Column.RetainAll)

    def append(row: Int): Unit = {
      witness.append(row.toLong)
      peers.append(p.peers(row))
      p.keys(row).fold(keys.appendNull())(keys.append)
      p.keys(row).fold(doubles.appendNull())(key => doubles.append(key.toDouble))
      before.append(p.offsets(row)._1)
      after.append(p.offsets(row)._2)
      halves.append(p.offsets(row)._1 / 2.0)
    }
  }

  /** An end of a frame: as an edge, and by definition, the rows on its inner side. */
  final case class End(
      name: String,
      isNonMonotonic: Boolean,
      edge: (Partition, Inputs, Boolean) => Edge,
      holds: (Partition, Int, Int, Boolean) => Boolean
  )

  private def inner(compared: Int, lower: Boolean): Boolean =
    if (lower) compared >= 0 else compared <= 0

  private def byRows(name: String, isNonMonotonic: Boolean, shift: (Partition, Int) => Long)(
      edge: (Inputs, Boolean) => Edge
  ): End = End(
    name,
    isNonMonotonic,
    (_, in, lower) => edge(in, lower),
    (p, row, current, lower) => inner(row.toLong.compare(current + shift(p, current)), lower)
  )

  private def byKeys(name: String, sign: Int, offset: (Partition, Int) => Double)(
      keys: (Partition, Inputs) => io.muntin.kernel.columns.Keys
  ): End = End(
    name,
    isNonMonotonic = true,
    (p, in, lower) => new NonMonotonicKeys(keys(p, in), after = !lower),
    (p, row, current, lower) =>
      (p.keys(row), p.keys(current)) match {
        case (Some(key), Some(own)) =>
          val away = if (p.descending) own - key else key - own
          // No zero below zero.
          inner(away.toDouble.compare(sign * offset(p, current) + 0.0), lower)
        case (key, own) => inner(p.compare(key, own), lower)
      }
  )

  val ends: Seq[End] = Seq(
    End(
      "unbounded",
      isNonMonotonic = false,
      (_, _, lower) => if (lower) UnboundedStart else UnboundedEnd,
      (_, _, _, _) => true
    ),
    byRows("2 preceding", isNonMonotonic = false, (_, _) => -2L) { (_, lower) =>
      new RowsEdge(if (lower) -2L else -1L)
    },
    byRows("current row", isNonMonotonic = false, (_, _) => 0L) { (_, lower) =>
      new RowsEdge(if (lower) 0L else 1L)
    },
    byRows("n preceding", isNonMonotonic = true, (p, row) => -p.offsets(row)._1) { (in, lower) =>
      new NonMonotonicRows(in.before, -1, if (lower) 0L else 1L, isBefore = true)
    },
    byRows("n following", isNonMonotonic = true, (p, row) => p.offsets(row)._2) { (in, lower) =>
      new NonMonotonicRows(in.after, 1, if (lower) 0L else 1L, isBefore = false)
    },
    End(
      "n groups following",
      isNonMonotonic = true,
      (_, in, lower) =>
        new NonMonotonicKeys(new OffsetPeers(in.peers, in.after, 1), after = !lower),
      (p, row, current, lower) =>
        inner(p.peers(row).compare(p.peers(current) + p.offsets(current)._2), lower)
    ),
    byKeys("a range preceding", -1, (p, row) => p.offsets(row)._1.toDouble) { (p, in) =>
      new OffsetLongs(in.keys, p.descending, p.nullsFirst, in.before, if (p.descending) 1 else -1)
    },
    byKeys("half a range preceding", -1, (p, row) => p.offsets(row)._1 / 2.0) { (p, in) =>
      new OffsetDoubles(
        in.doubles,
        p.descending,
        p.nullsFirst,
        in.halves,
        if (p.descending) 1 else -1
      )
    }
  )

  final case class Holes(
      name: String,
      isIn: (Partition, Int, Int) => Boolean,
      edges: Option[Inputs => Array[Edge]]
  )

  private def firstPeer(in: Inputs): Edge =
    new RangeEdge(new io.muntin.kernel.columns.PeerKeys(in.peers), after = false)
  private def afterPeers(in: Inputs): Edge =
    new RangeEdge(new io.muntin.kernel.columns.PeerKeys(in.peers), after = true)

  val holes: Seq[Holes] = Seq(
    Holes("none", (_, _, _) => false, None),
    Holes("current row", (_, j, i) => j == i, Some(_ => Array(new RowsEdge(0), new RowsEdge(1)))),
    Holes(
      "ties",
      (p, j, i) => j != i && p.peers(j) == p.peers(i),
      Some(in => Array(firstPeer(in), new RowsEdge(0), new RowsEdge(1), afterPeers(in)))
    )
  )

  val partitions: Gen[Seq[Partition]] = {
    val one = for {
      size <- Gen.frequency(1 -> Gen.choose(0, 3), 6 -> Gen.choose(1, 300))
      most <- Gen.oneOf(3, 30, 400)
      reach <- Gen.oneOf(1L, 5L, 60L, 1000L)
      key =
        Gen.frequency(9 -> Gen.choose(-most, most).map(k => Some(k.toLong)), 1 -> Gen.const(None))
      keys <- Gen.containerOfN[Vector, Option[Long]](size, key)
      descending <- Gen.oneOf(true, false)
      nullsFirst <- Gen.oneOf(true, false)
      offset = Gen.choose(0L, reach)
      offsets <- Gen.containerOfN[Vector, (Long, Long)](size, Gen.zip(offset, offset))
    } yield {
      val unsorted = Partition(Vector.empty, descending, nullsFirst, Vector.empty)
      val order = new Ordering[Option[Long]] {
        override def compare(a: Option[Long], b: Option[Long]): Int = unsorted.compare(a, b)
      }
      Partition(keys.sorted(order), descending, nullsFirst, offsets)
    }
    Gen.choose(1, 3).flatMap(Gen.listOfN(_, one))
  }

  def check(lower: End, upper: End)(partitions: Seq[Partition], holes: Holes, stride: Int): Unit =
    // Columns belong to one partition; query suites restart motions.
    partitions.foreach { p =>
      val in = new Inputs(p)
      val motion = new NonMonotonicMotion(
        lower.edge(p, in, true),
        upper.edge(p, in, false),
        lower.isNonMonotonic,
        isFree = false,
        holes.edges.map(make => () => make(in))
      )
      val views = mutable.Buffer.empty[(PiecedMotionSuite.AnyOrder, Seq[FrameMotionSuite.Recorder])]
      motion.open { chain =>
        val whole = new PiecedMotionSuite.AnyOrder(in.witness)
        chain.drive(whole)
        val pieces = chain match {
          case pieced: PiecedMotion => pieced.pieces
          case other => Seq(other)
        }
        val recorders = pieces.map { piece =>
          val recorder = new FrameMotionSuite.Recorder(in.witness, evicts = true)
          piece.drive(recorder)
          recorder
        }
        views += whole -> recorders: Unit
      }
      (1 to 2).foreach(_ => run(motion, lower, upper, holes, p, in, stride)(views(_)))
      if (holes.edges.isEmpty) checkFree(lower, upper, p)
    }

  /** A non-monotonic accumulator receives each changed window that contains rows. */
  private def checkFree(lower: End, upper: End, p: Partition): Unit = {
    val in = new Inputs(p)
    (0 until p.size).foreach(in.append)
    val motion = new NonMonotonicMotion(
      lower.edge(p, in, true),
      upper.edge(p, in, false),
      lower.isNonMonotonic,
      isFree = true,
      None
    )
    val windows = mutable.Buffer.empty[Window]
    motion.open { view =>
      val window = new Window
      view.drive(window)
      windows += window: Unit
    }
    assert(windows.size === 2)
    (1 to 2).foreach { _ =>
      motion.startPartition()
      assert(windows.forall(_.rows.isEmpty))
      motion.arrive(p.size.toLong)
      (0 until p.size).foreach { row =>
        assert(motion.isReady(row.toLong, p.size.toLong, ended = true))
        motion.advance(row.toLong): Unit
        assert(
          windows(motion.view).rows === (0 until p.size).filter(j =>
            lower.holds(p, j, row, true) && upper.holds(p, j, row, false)
          )
        )
      }
    }
  }

  private final class Window extends NonMonotonic {
    var rows: Seq[Int] = Nil

    override def clear(): Unit = rows = Nil

    override def evictBefore(first: Long): Unit = fail("no row is forgotten")

    override def evaluate(from: Long, until: Long): Unit = rows = from.toInt until until.toInt
  }

  private def run(
      motion: NonMonotonicMotion,
      lower: End,
      upper: End,
      holes: Holes,
      p: Partition,
      in: Inputs,
      stride: Int
  )(view: Int => (PiecedMotionSuite.AnyOrder, Seq[FrameMotionSuite.Recorder])): Unit = {
    motion.startPartition()
    val begins = in.witness.size == 0L
    var row = 0
    var previous = Seq.empty[Long]

    def advance(): Unit = {
      val expected = (0 until p.size)
        .filter(j => lower.holds(p, j, row, true) && upper.holds(p, j, row, false))
        .filterNot(j => holes.isIn(p, j, row))
        .map(_.toLong)
      val changed = motion.advance(row.toLong)
      val (whole, pieces) = view(motion.view)
      assert(whole.rows.toSeq === expected)
      assert(pieces.flatMap(_.rows) === expected)
      if (!changed) assert(row > 0 && expected === previous)
      previous = expected
      row += 1
    }

    (1 to p.size).foreach { arrived =>
      if (begins) in.append(arrived - 1)
      motion.arrive(arrived.toLong)
      if (arrived % stride == 0) {
        while (row < arrived && motion.isReady(row.toLong, arrived.toLong, ended = false)) {
          // No later row is in the frame.
          assert(!(arrived until p.size).exists(j =>
            lower.holds(p, j, row, true) && upper.holds(p, j, row, false)
          ))
          advance()
        }
      }
    }
    while (row < p.size) {
      assert(motion.isReady(row.toLong, p.size.toLong, ended = true))
      advance()
    }
  }
}

package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.{Accumulator, SampledTests}
import io.muntin.kernel.columns.{LongColumn, PeerKeys}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.NonNullCount
import org.scalacheck.Gen
import org.scalatest.Assertions
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class PiecedMotionSuite extends SampledTests with ScalaCheckPropertyChecks {
  import FrameMotionSuite._
  import PiecedMotionSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 40)

  for {
    lower <- Bound.kinds
    upper <- Bound.kinds
  } sampledTest(s"from ${lower.name} to ${upper.name}") {
    forAll(cases(lower, upper), Gen.oneOf(holes), Gen.oneOf(insides), Gen.prob(0.5))(checkPieces)
  }

  test("rows before the first hole are kept for accumulators that read only them") {
    def floorAt100(accumulator: Option[Accumulator], split: Boolean): Long = {
      val peers = new LongColumn(Memory.Unlimited, false)
      val holes = Array[Edge](new RowsEdge(0), new RowsEdge(1))
      val motion = new PiecedMotion(UnboundedStart, new RowsEdge(3), holes, CompleteFrames.Always)
      accumulator.foreach(motion.drive)
      if (split) motion.pieces: Unit
      motion.startPartition()
      peers.addReader(motion)
      (0L to 102L).foreach(row => motion.arrive(row + 1))
      (0L to 100L).foreach { row =>
        assert(motion.isReady(row, 103L, ended = false))
        motion.advance(row)
      }
      motion.floor
    }
    val count = new NonNullCount(new LongColumn(Memory.Unlimited, false))
    assert(floorAt100(Some(count), split = false) === 100L)
    assert(floorAt100(Some(count), split = true) === 0L)
    assert(floorAt100(None, split = false) === 100L)
  }

  test("the accumulators of the pieces are closed with the motion") {
    var closed = 0
    final class Closed extends Accumulator {
      override def clear(): Unit = ()
      override def enter(from: Long, until: Long): Unit = ()
      override def leave(from: Long, until: Long): Unit = ()
      override def close(): Unit = closed += 1
    }
    val holes = Array[Edge](new RowsEdge(0), new RowsEdge(1))
    val motion = new PiecedMotion(new RowsEdge(-3), new RowsEdge(3), holes, CompleteFrames.Always)
    motion.drive(new Closed)
    motion.pieces.foreach(_.drive(new Closed))
    motion.close()
    assert(closed === 3)
  }

  test("a row is emitted immediately if its frame ends there and has entered") {
    def isImmediate(upper: Edge, inside: CompleteFrames): Boolean =
      new PiecedMotion(UnboundedStart, upper, Array.empty, inside).isImmediate
    assert(isImmediate(new RowsEdge(1), CompleteFrames.Always))
    assert(isImmediate(new RowsEdge(1), new CompleteFrames(Some(-3L), Some(0L))))
    assert(!isImmediate(new RowsEdge(1), new CompleteFrames(Some(-3L), Some(1L))))
    assert(!isImmediate(new RowsEdge(2), CompleteFrames.Always))
  }
}

object PiecedMotionSuite extends Assertions {
  import FrameMotionSuite._

  /**
   * Rows between the ends of a frame that are not in the frame: by definition, and as pairs of
   * edges.
   */
  final case class Holes(
      name: String,
      isIn: (Rows, Vector[Long], Int, Int) => Boolean,
      edges: (Inputs, LongColumn) => Seq[Edge]
  )

  private def firstPeer(inputs: Inputs): Edge = AtPeers.edge(inputs, lower = true)
  private def afterPeers(inputs: Inputs): Edge = AtPeers.edge(inputs, lower = false)
  private def row: Edge = new RowsEdge(0)
  private def afterRow: Edge = new RowsEdge(1)
  private def afterArrived(inputs: Inputs, narrow: LongColumn): Edge =
    new RangeEdge(inputs.guarded(new PeerKeys(narrow)), after = true)

  private def isPeer(rows: Rows, other: Int, current: Int): Boolean =
    rows.peers(other) == rows.peers(current)

  private def isLater(rows: Rows, narrow: Vector[Long], other: Int, current: Int): Boolean =
    isPeer(rows, other, current) && narrow(other) > narrow(current)

  val holes: Seq[Holes] = Seq(
    Holes("none", (_, _, _, _) => false, (_, _) => Nil),
    Holes("current row", (_, _, j, i) => j == i, (_, _) => Seq(row, afterRow)),
    Holes(
      "group",
      (rows, _, j, i) => isPeer(rows, j, i),
      (in, _) => Seq(firstPeer(in), afterPeers(in))
    ),
    Holes(
      "ties",
      (rows, _, j, i) => j != i && isPeer(rows, j, i),
      (in, _) => Seq(firstPeer(in), row, afterRow, afterPeers(in))
    ),
    Holes("later", isLater, (in, narrow) => Seq(afterArrived(in, narrow), afterPeers(in))),
    Holes(
      "current row and later",
      (rows, narrow, j, i) => j == i || isLater(rows, narrow, j, i),
      (in, narrow) => Seq(row, afterRow, afterArrived(in, narrow), afterPeers(in))
    )
  )

  val insides: Seq[(Option[Long], Option[Long])] =
    Seq(None -> None, None -> None, Some(-2L) -> Some(3L), Some(-5L) -> None, Some(1L) -> Some(2L))

  /** Stores the rows that entered, in any order of entering and leaving. */
  final class AnyOrder(witness: LongColumn) extends Accumulator {
    val rows: mutable.TreeSet[Long] = mutable.TreeSet.empty

    override def anyOrder: Boolean = true
    override def readsFrame: Boolean = false
    override def clear(): Unit = rows.clear()

    override def enter(from: Long, until: Long): Unit = {
      assert(from < until && until <= witness.size)
      (from until until).foreach { p =>
        assert(witness(p) === p)
        assert(rows.add(p), s"$p is there already")
      }
    }

    override def leave(from: Long, until: Long): Unit = {
      assert(from < until)
      (from until until).foreach { p =>
        assert(witness(p) === p)
        assert(rows.remove(p), s"$p is not there")
      }
    }
  }

  def checkPieces(
      c: Case,
      holes: Holes,
      within: (Option[Long], Option[Long]),
      split: Boolean
  ): Unit = {
    val inputs = new Inputs(c.order)
    val narrow = new LongColumn(Memory.Unlimited, false)
    val inside = new CompleteFrames(within._1, within._2)
    val motion = new PiecedMotion(
      c.lower.edge(inputs, lower = true),
      c.upper.edge(inputs, lower = false),
      holes.edges(inputs, narrow).toArray,
      inside
    )
    inputs.drivenBy(motion)
    narrow.addReader(motion)
    val whole = new AnyOrder(inputs.witness)
    motion.drive(whole)
    val pieces =
      if (split) motion.pieces.map(p => p -> new Recorder(inputs.witness, evicts = true)) else Nil
    pieces.foreach { case (piece, recorder) => piece.drive(recorder) }

    c.partitions.foreach { rows =>
      val numbers = rows.keys.indices.map(p => p -> rows.marks(p)).scanLeft(-1L) { (n, p) =>
        val isNew = p._1 == 0 || p._2 || rows.peers(p._1) != rows.peers(p._1 - 1)
        if (isNew) n + 1 else n
      }.tail.toVector
      inputs.startPartition()
      narrow.clear()
      motion.startPartition()
      var row = 0
      var previous = Seq.empty[Long]
      var answered = true

      def advance(): Unit = {
        val expected = (0 until rows.size)
          .filter(j => c.lower.holds(rows, j, row, lower = true))
          .filter(j => c.upper.holds(rows, j, row, lower = false))
          .filterNot(j => holes.isIn(rows, numbers, j, row))
          .map(_.toLong)
        val changed = motion.advance(row.toLong)
        assert(whole.rows.toSeq === expected)
        assert(motion.size === expected.size)
        if (split) assert(pieces.flatMap(_._2.rows) === expected)
        pieces.foreach { case (piece, recorder) =>
          assert((piece.start until piece.end) === recorder.rows)
        }
        val isWhole = Seq(within._1, within._2).flatten.forall { n =>
          row + n >= 0 && row + n < rows.size
        }
        assert(motion.hasResult === isWhole)
        if (!changed) assert(row > 0 && expected === previous && isWhole === answered)
        inputs.forget()
        if (split) expected.foreach(p => assert(inputs.witness(p) === p))
        previous = expected
        answered = isWhole
        row += 1
      }

      def isReady(arrived: Int, ended: Boolean): Boolean = {
        val ready = motion.isReady(row.toLong, arrived.toLong, ended)
        val isKnown = within._2.forall(row + _ < arrived) && within._1.forall(row + _ < arrived)
        assert(ready === (ended || (isKnown && c.upper.isSettled(rows, row, arrived))))
        assert(ready || !motion.isImmediate)
        ready
      }

      (1 to rows.size).foreach { arrived =>
        inputs.append(rows, arrived - 1)
        narrow.append(numbers(arrived - 1))
        motion.arrive(arrived.toLong)
        if (arrived % c.stride == 0) {
          while (row < arrived && isReady(arrived, ended = false)) advance()
        }
      }
      while (row < rows.size) {
        assert(isReady(rows.size, ended = true))
        advance()
      }
    }
  }
}

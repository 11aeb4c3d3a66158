package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.{Accumulator, Cases, Forgetting, Kind, SampledTests}
import io.muntin.kernel.columns.{DoubleColumn, DoubleKeys, Keys, LongColumn, LongKeys, PeerKeys}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatest.Assertions
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class FrameMotionSuite extends SampledTests with ScalaCheckPropertyChecks {
  import FrameMotionSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(60))

  for {
    lower <- Bound.kinds
    upper <- Bound.kinds :+ Bound.presents
  } sampledTest(s"from ${lower.name} to ${upper.name}") {
    forAll(cases(lower, upper))(check)
  }

  test("a motion that is immediate is ready when a row arrives") {
    def isImmediate(upper: Edge): Boolean = new FrameMotion(UnboundedStart, upper).isImmediate
    assert(isImmediate(new RowsEdge(1)))
    assert(isImmediate(new RowsEdge(-5)))
    assert(!isImmediate(new RowsEdge(2)))
    assert(!isImmediate(UnboundedEnd))
    assert(!isImmediate(new RangeEdge(new PeerKeys(new LongColumn(Memory.Unlimited, false)), true)))
    assert(!isImmediate(new PresentEdge(new LongColumn(Memory.Unlimited, true), 1)))
  }

  test("a growing frame that looks back reads each row once; others read their frame again") {
    def floorAt100(lower: Edge, upper: Edge): Long = {
      val motion = new FrameMotion(lower, upper)
      motion.startPartition()
      (0L to 100L).foreach { row =>
        motion.arrive(row + 1)
        assert(motion.isReady(row, row + 1, ended = false))
        motion.advance(row)
      }
      motion.floor
    }
    assert(floorAt100(UnboundedStart, new RowsEdge(1)) === 101)
    assert(floorAt100(UnboundedStart, new RowsEdge(-4)) === 96)
    assert(floorAt100(new RowsEdge(-10), new RowsEdge(1)) === 90)
    assert(floorAt100(new RowsEdge(-10), new RowsEdge(-4)) === 90)
  }

  test("the whole partition enters as it arrives, and is not retained") {
    val motion = new FrameMotion(UnboundedStart, UnboundedEnd)
    motion.startPartition()
    (1L to 100L).foreach { arrived =>
      motion.arrive(arrived)
      assert(!motion.isReady(0, arrived, ended = false))
      assert(motion.floor === arrived)
    }
  }

  test(
    "ROWS, from a replayed row on: no earlier row is in a window, and no later row is missing"
  ) {
    val shift = Gen.choose(-12L, 12L)
    forAll(shift, shift, Gen.choose(1L, 60L), Gen.choose(0L, 60L), Gen.choose(0L, 20L)) {
      (a, b, rows, answered, earlier) =>
        val (lower, upper) = (math.min(a, b), math.max(a, b) + 1L)
        def within(position: Long) = math.max(0L, math.min(position, rows))
        val next = math.min(answered, rows - 1L)
        // Earlier rows that another frame of the same rows may still need.
        val first = math.max(0L, math.min(next, within(next + lower)) - earlier)
        val motion = new FrameMotion(new RowsEdge(lower), new RowsEdge(upper))
        val inside = mutable.TreeSet.empty[Long]
        motion.drive(new Accumulator {
          override def clear(): Unit = inside.clear()
          override def enter(from: Long, until: Long): Unit = (from until until).foreach { row =>
            assert(row >= first && inside.add(row), s"$row enters")
          }
          override def leave(from: Long, until: Long): Unit = (from until until).foreach { row =>
            assert(inside.remove(row), s"$row leaves")
          }
        })
        motion.startPartition(first)
        motion.arrive(rows)
        (first until rows).foreach { row =>
          assert(motion.isReady(row, rows, ended = true))
          motion.advance(row): Unit
          if (row >= next) assert(inside.toSeq === (within(row + lower) until within(row + upper)))
        }
    }
  }

  test("close closes the accumulators") {
    var closed = 0
    val motion = new FrameMotion(UnboundedStart, UnboundedEnd)
    (1 to 3).foreach { _ =>
      motion.drive(new Accumulator {
        override def clear(): Unit = ()
        override def enter(from: Long, until: Long): Unit = ()
        override def leave(from: Long, until: Long): Unit = ()
        override def close(): Unit = closed += 1
      })
    }
    motion.close()
    assert(closed === 3)
  }
}

object FrameMotionSuite extends Assertions {

  /** An end of a frame: how it is built, and by definition, the rows on its inner side. */
  sealed trait Bound {

    /**
     * Returns true if `row` is at the bound of `current` or after it (as a lower end), or before
     * it.
     */
    def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean

    def edge(inputs: Inputs, lower: Boolean): Edge

    /** As an upper end: returns true if no row after the first `arrived` can be in the frame. */
    def isSettled(rows: Rows, current: Int, arrived: Int): Boolean =
      (0 until arrived).exists(!holds(rows, _, current, lower = false))
  }

  case object Unbounded extends Bound {
    override def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean = true
    override def edge(inputs: Inputs, lower: Boolean): Edge =
      if (lower) UnboundedStart else UnboundedEnd
  }

  final case class AtRow(shift: Int) extends Bound {
    override def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean =
      if (lower) row >= current + shift else row <= current + shift
    override def edge(inputs: Inputs, lower: Boolean): Edge =
      new RowsEdge(if (lower) shift.toLong else shift + 1L)
    override def isSettled(rows: Rows, current: Int, arrived: Int): Boolean =
      arrived > current + shift
  }

  case object AtPeers extends Bound {
    override def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean = {
      val c = rows.order.compare(rows.keys(row), rows.keys(current))
      if (lower) c >= 0 else c <= 0
    }
    override def edge(inputs: Inputs, lower: Boolean): Edge =
      new RangeEdge(inputs.guarded(new PeerKeys(inputs.peers)), after = !lower)
  }

  final case class AtOffset(offset: Double) extends Bound {
    override def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean = {
      val bound = rows.keys(current).map(rows.order.add(_, offset))
      val c = rows.order.compare(rows.keys(row), bound)
      if (lower) c >= 0 else c <= 0
    }
    override def edge(inputs: Inputs, lower: Boolean): Edge =
      new RangeEdge(inputs.guarded(inputs.offsetKeys(offset)), after = !lower)
  }

  final case class AtPresent(count: Int) extends Bound {
    override def holds(rows: Rows, row: Int, current: Int, lower: Boolean): Boolean =
      row <= current || (current + 1 until row).count(rows.marks(_)) < count
    override def edge(inputs: Inputs, lower: Boolean): Edge = new PresentEdge(inputs.marks, count)
    override def isSettled(rows: Rows, current: Int, arrived: Int): Boolean =
      (current + 1 until arrived).count(rows.marks(_)) >= count
  }

  final case class BoundKind(name: String, gen: Gen[Bound])

  object Bound {
    private val unbounded = BoundKind("unbounded", Gen.const(Unbounded))

    private val rows = BoundKind(
      "rows",
      Gen.oneOf(Gen.choose(-4, 4), Gen.choose(-90, 90)).map(AtRow(_))
    )

    private val peers = BoundKind("peers", Gen.const(AtPeers))

    private val offsets = BoundKind(
      "offset",
      Gen.oneOf(Gen.choose(-3, 3), Gen.choose(-40, 40)).map(n => AtOffset(n.toDouble))
    )

    val kinds: Seq[BoundKind] = Seq(unbounded, rows, peers, offsets)

    /** Only as an upper end. */
    val presents: BoundKind =
      BoundKind("present rows", Gen.choose(1, 5).map(AtPresent(_)))
  }

  /** The types of keys. */
  sealed trait KeyType
  case object Longs extends KeyType
  case object Doubles extends KeyType
  case object Floats extends KeyType

  final case class KeyOrder(keyType: KeyType, descending: Boolean, nullsFirst: Boolean)
      extends Ordering[Option[Double]] {

    override def compare(a: Option[Double], b: Option[Double]): Int = (a, b) match {
      case (None, None) => 0
      case (None, _) => if (nullsFirst) -1 else 1
      case (_, None) => if (nullsFirst) 1 else -1
      case (Some(x), Some(y)) =>
        val c = Kind.sqlDouble.compare(x, y)
        if (descending) -c else c
    }

    /** The key at the distance `offset` from `key`. */
    def add(key: Double, offset: Double): Double = keyType match {
      case Floats => (key.toFloat + signed(offset).toFloat).toDouble
      case _ => key + signed(offset)
    }

    def signed(offset: Double): Double = if (descending) -offset else offset
  }

  /** A partition: sorted keys, and marks of present rows. */
  final case class Rows(keys: Vector[Option[Double]], marks: Vector[Boolean], order: KeyOrder) {
    def size: Int = keys.size

    val peers: Vector[Long] =
      keys.indices.drop(1).scanLeft(0L) { (n, i) =>
        if (order.compare(keys(i - 1), keys(i)) == 0) n else n + 1
      }.toVector.take(size)
  }

  final case class Case(
      order: KeyOrder,
      partitions: Seq[Rows],
      lower: Bound,
      upper: Bound,
      stride: Int
  )

  private def keys(order: KeyOrder): Gen[Vector[Option[Double]]] = for {
    size <- Gen.frequency(1 -> Gen.choose(0, 3), 6 -> Gen.choose(1, 250))
    most <- Gen.oneOf(3, 30, 400)
    whole = Gen.choose(-most, most).map(_.toDouble)
    key = order.keyType match {
      case Longs => whole
      case Doubles => Gen.frequency(9 -> whole, 9 -> whole.map(_ / 4), 4 -> odd)
      case Floats =>
        Gen.frequency(9 -> whole, 9 -> whole.map(x => (x / 10).toFloat.toDouble), 4 -> odd)
    }
    nulls <- Gen.oneOf(0, 2, 30)
    keys <- Gen.containerOfN[Vector, Option[Double]](
      size,
      Gen.frequency(10 -> key.map(Some(_)), nulls -> Gen.const(None))
    )
  } yield keys.sorted(order)

  private val odd: Gen[Double] = Gen.oneOf(
    0.0,
    -0.0,
    Double.NaN,
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    1e30f.toDouble,
    -1e30f.toDouble
  )

  private val orders: Gen[KeyOrder] = for {
    keyType <- Gen.oneOf(Longs, Doubles, Floats)
    descending <- Gen.oneOf(true, false)
    nullsFirst <- Gen.oneOf(true, false)
  } yield KeyOrder(keyType, descending, nullsFirst)

  def cases(lower: BoundKind, upper: BoundKind): Gen[Case] = for {
    order <- orders
    share <- Gen.oneOf(0.05, 0.5, 1.0)
    partition = for {
      k <- keys(order)
      m <- Gen.containerOfN[Vector, Boolean](k.size, Gen.prob(share))
    } yield Rows(k, m, order)
    partitions <- Gen.choose(1, 3).flatMap(Gen.listOfN(_, partition))
    from <- lower.gen
    to <- upper.gen
    stride <- Gen.frequency(4 -> Gen.const(1), 1 -> Gen.choose(2, 90))
  } yield Case(order, partitions, from, to, stride)

  /** The columns of a motion; each drops the rows below the motion's floor immediately. */
  final class Inputs(order: KeyOrder) {
    val witness = new LongColumn(Memory.Unlimited, false)
    val peers = new LongColumn(Memory.Unlimited, false)
    val marks = new LongColumn(Memory.Unlimited, true)
    private val longs = new LongColumn(Memory.Unlimited, true)
    private val doubles = new DoubleColumn(Memory.Unlimited, true)
    private var motion: RowMotion = _

    private val columns = Seq(witness, peers, marks, longs, doubles)
    private val junk = Vector(None, Some(Long.MinValue), Some(Long.MaxValue), Some(0L))
    private val forgetting = Forgetting(Kind.doubles, doubles, junk.map(_.map(_.toDouble))) +:
      Seq(witness, peers, marks, longs).map(Forgetting(Kind.longs, _, junk))

    def offsetKeys(offset: Double): Keys = order.keyType match {
      case Longs =>
        new LongKeys(
          longs,
          order.descending,
          order.nullsFirst,
          order.signed(offset).toLong,
          Long.MinValue,
          Long.MaxValue,
          key => fail(s"$key + $offset overflows")
        )
      case other =>
        val signed = order.signed(offset)
        new DoubleKeys(doubles, order.descending, order.nullsFirst, signed, other == Floats)
    }

    /** The same keys, which fail for rows that the motion has dropped. */
    def guarded(keys: Keys): Keys = new Keys {
      override def startPartition(): Unit = keys.startPartition()
      override def compare(position: Long, current: Long): Int = {
        assert(position >= motion.floor && current >= motion.floor)
        keys.compare(position, current)
      }
    }

    def drivenBy(driver: RowMotion): Unit = {
      motion = driver
      columns.foreach(_.addReader(motion))
    }

    def startPartition(): Unit = {
      columns.foreach(_.clear())
      forgetting.foreach(_.startPartition())
    }

    def append(rows: Rows, p: Int): Unit = {
      witness.append(p.toLong)
      peers.append(rows.peers(p))
      if (rows.marks(p)) marks.append(1L) else marks.appendNull()
      Kind.longs.append(longs, rows.keys(p).map(_.toLong))
      Kind.doubles.append(doubles, rows.keys(p))
    }

    def forget(): Unit = forgetting.foreach(_.forget(motion.floor))
  }

  /** Stores the rows that entered, and checks that the caller follows the contract. */
  final class Recorder(witness: LongColumn, evicts: Boolean) extends Accumulator {
    private val queue = mutable.Queue.empty[Long]

    def rows: Seq[Long] = queue.toSeq

    override def clear(): Unit = queue.clear()

    override def enter(from: Long, until: Long): Unit = {
      assert(from < until && until <= witness.size)
      queue.lastOption.foreach(newest => assert(from === newest + 1))
      (from until until).foreach { p =>
        assert(witness(p) === p)
        queue.enqueue(p)
      }
    }

    override def leave(from: Long, until: Long): Unit = {
      assert(evicts)
      assert(from < until)
      (from until until).foreach { p =>
        assert(queue.dequeue() === p)
        assert(witness(p) === p)
      }
      if (queue.isEmpty) fail("if no row stays, the motion clears")
    }
  }

  def check(c: Case): Unit = {
    val inputs = new Inputs(c.order)
    val motion = new FrameMotion(
      c.lower.edge(inputs, lower = true),
      c.upper.edge(inputs, lower = false)
    )
    inputs.drivenBy(motion)
    val recorder = new Recorder(inputs.witness, motion.evicts)
    motion.drive(recorder)
    assert(motion.evicts === (c.lower != Unbounded))

    c.partitions.foreach { rows =>
      inputs.startPartition()
      motion.startPartition()
      assert(recorder.rows.isEmpty)
      var row = 0
      var floor = 0L
      var previous = Seq.empty[Long]

      def forget(): Unit = {
        assert(motion.floor >= floor && motion.floor <= inputs.witness.size)
        floor = motion.floor
        inputs.forget()
      }

      def advance(): Unit = {
        val expected = (0 until rows.size)
          .filter(j => c.lower.holds(rows, j, row, lower = true))
          .filter(j => c.upper.holds(rows, j, row, lower = false))
          .map(_.toLong)
        val changed = motion.advance(row.toLong)
        assert(recorder.rows === expected)
        assert((motion.start until motion.end) === expected)
        if (!changed) assert(row > 0 && expected === previous)
        else if (expected.nonEmpty && row > 0) assert(expected !== previous)
        forget()
        if (motion.evicts) expected.foreach(p => assert(inputs.witness(p) === p))
        previous = expected
        row += 1
      }

      def isReady(arrived: Int, ended: Boolean): Boolean = {
        val ready = motion.isReady(row.toLong, arrived.toLong, ended)
        assert(ready === (ended || c.upper.isSettled(rows, row, arrived)))
        assert(ready || !motion.isImmediate)
        forget()
        ready
      }

      (1 to rows.size).foreach { arrived =>
        inputs.append(rows, arrived - 1)
        motion.arrive(arrived.toLong)
        forget()
        // The caller may not query a row on each arrival, because other frames may hold it back.
        if (arrived % c.stride == 0) {
          while (row < arrived && isReady(arrived, ended = false)) {
            if (arrived % 2 == 0) isReady(arrived, ended = false): Unit
            advance()
          }
        }
      }
      while (row < rows.size) {
        assert(isReady(rows.size, ended = true))
        advance()
      }
    }
  }
}

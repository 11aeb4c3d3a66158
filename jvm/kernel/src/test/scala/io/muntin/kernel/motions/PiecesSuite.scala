package io.muntin.kernel.motions

import io.muntin.kernel.{Accumulator, CountingMemory, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn, PeerKeys}
import io.muntin.kernel.distinct.{
  CountedHyperLogLog,
  FirstRowsOfPieces,
  FirstSeen,
  HyperLogLogSuite,
  MostFrequent,
  Tally
}
import io.muntin.kernel.extremes.{ExtremeOfPieces, NthOfPieces, Pick, SlidingExtreme}
import io.muntin.kernel.lists.{ListOfPieces, ListedRows, SlidingList}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.{AlignedBlocks, AlignedBlocksSuite, MergedPieces, RecomputedPieces}
import io.muntin.kernel.ranks.{LongRanks, PositionRanks, SortedFrame, SortedRows}
import io.muntin.kernel.sums.{
  BitCounts,
  BitMerge,
  BitXor,
  BitsOfPieces,
  ExactSum,
  IntegerSum,
  Moments,
  NonNullCount
}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/**
 * Accumulators in frames with holes: combined from the accumulators of the pieces, or driven with
 * all pieces.
 */
class PiecesSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import PiecesSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 120)

  private def longs(column: Column): LongColumn = column.asInstanceOf[LongColumn]

  for (sign <- Seq(1, -1); latest <- Seq(true, false))
    test(s"the extreme, sign $sign, latest $latest") {
      forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
        val pieces =
          frame.driven(new SlidingExtreme(frame.memory, frame.column, frame.column, sign, latest))
        val joined = new ExtremeOfPieces(pieces.toArray, frame.column, frame.column, sign, latest)
        rows => {
          val present = rows.filter(frame.value(_).isDefined)
          val expected = if (present.isEmpty) Pick.None
          else {
            val best = present.map(frame.value(_).get).reduce((a, b) =>
              if (sign > 0) math.max(a, b) else math.min(a, b)
            )
            val all = present.filter(frame.value(_).contains(best))
            (if (latest) all.last else all.head).toLong
          }
          assert(joined.position === expected)
        }
      })
    }

  test("merged bits") {
    forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
      val joined = Seq(true, false).map { and =>
        val pieces = frame.driven(new BitMerge(frame.memory, longs(frame.column), and))
        new BitsOfPieces(pieces.toArray, and)
      }
      rows => {
        val values = rows.flatMap(frame.value(_))
        assert(joined.map(_.count) === Seq(values.size, values.size))
        assert(joined.head.value === values.foldLeft(-1L)(_ & _))
        assert(joined(1).value === values.foldLeft(0L)(_ | _))
      }
    })
  }

  for (skipsNulls <- Seq(true, false))
    test(s"lists and places in them, nulls skipped: $skipsNulls") {
      forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
        val marks = if (skipsNulls) Some(frame.column) else None
        val pieces = frame.driven[ListedRows](new SlidingList(frame.memory, frame.column, marks))
        val list = new ListOfPieces(pieces.toArray, frame.column)
        val places = Seq(1, 3, -1, -2).map(n => n -> new NthOfPieces(list, n))
        rows => {
          val expected = rows.filter(!skipsNulls || frame.value(_).isDefined).map(_.toLong)
          assert((0 until list.size).map(list.position) === expected)
          places.foreach { case (n, nth) =>
            val i = if (n > 0) n - 1 else expected.size + n
            assert(nth.position === expected.lift(i).getOrElse(Pick.None))
          }
        }
      })
    }

  test("sorted rows, sorted again") {
    forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
      def list(): ListedRows = {
        val marks = Some(frame.column)
        val pieces = frame.driven[ListedRows](new SlidingList(frame.memory, frame.column, marks))
        new ListOfPieces(pieces.toArray, frame.column)
      }
      val order = new SortedRows.Order {
        override def compare(orders: Column, a: Long, b: Long): Int = orders.compare(a, b)
      }
      val sorted = new SortedFrame(Memory.Unlimited, list(), list(), order)
      rows => {
        sorted.forget()
        sorted.refresh()
        val expected = rows.filter(frame.value(_).isDefined).sortBy(i => (frame.value(i).get, i))
        assert((0 until sorted.size).map(sorted.position) === expected.map(_.toLong))
      }
    })
  }

  for (updatesMerged <- Seq(true, false))
    test(s"merged partials, rows added to them: $updatesMerged") {
      forAll(cases(Kind.longs, nulls = false))(through(Kind.longs, _) { frame =>
        val lists = new AlignedBlocksSuite.Lists(longs(frame.column), updatesMerged)
        val pieces = frame.driven(new AlignedBlocks(frame.memory, lists, 3))
        val merged = new MergedPieces(frame.memory, lists, pieces.toArray)
        val again = new AlignedBlocksSuite.Lists(longs(frame.column), updatesMerged)
        val recomputed = new RecomputedPieces(again, frame.pieces.toArray)
        rows => {
          merged.refresh()
          recomputed.refresh()
          assert(lists.list === rows.flatMap(frame.value(_)))
          assert(again.list === rows.flatMap(frame.value(_)))
        }
      })
    }

  for (skipsNulls <- Seq(true, false))
    test(s"distinct values and their first rows, nulls skipped: $skipsNulls") {
      forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
        def tally(anyOrder: Boolean) =
          new Tally(frame.memory, Array(frame.column), None, skipsNulls, evicts = true, anyOrder)
        val whole = frame.whole(tally(anyOrder = true))
        val frequent = new MostFrequent(frame.memory, whole, 1)
        val pieces = frame.driven(tally(anyOrder = false))
        val firsts = pieces.map(new FirstSeen(frame.memory, _))
        val joined = new FirstRowsOfPieces(pieces.toArray, firsts.toArray)
        rows => {
          val counted = rows.filter(!skipsNulls || frame.value(_).isDefined)
          val distinct = counted.groupBy(frame.value(_)).values.map(_.head).toSeq.sorted
          assert(whole.size === distinct.size)
          val found = Iterator
            .iterate(joined.from(0L))(p => joined.from(p + 1))
            .takeWhile(_ >= 0L)
            .toSeq
          assert(found === distinct.map(_.toLong))
          distinct.foreach { row =>
            val code = whole.codeOf(row.toLong)
            assert(whole.count(code) === counted.count(frame.value(_) == frame.value(row)))
            assert(joined.first(whole, code) === row)
          }
          if (skipsNulls) {
            val values = counted.flatMap(frame.value(_))
            if (values.isEmpty) assert(frequent.code < 0)
            else {
              val most = values.distinct.map(v => (-values.count(_ == v), v)).min._2
              assert(longs(whole.values(0))(frequent.code.toLong) === most)
            }
          }
        }
      })
    }

  test("sums, counts, bits, moments, ranks and registers accept rows in any order") {
    forAll(cases(Kind.longs))(through(Kind.longs, _) { frame =>
      val column = longs(frame.column)
      val sum = frame.whole(new IntegerSum(column))
      val count = frame.whole(new NonNullCount(column))
      val xor = frame.whole(new BitXor(column))
      val and = frame.whole(new BitCounts(column, and = true, evicts = true))
      val or = frame.whole(new BitCounts(column, and = false, evicts = true))
      val registers = frame.whole(new CountedHyperLogLog(frame.memory, column, 4))
      val ranks = frame.whole(new LongRanks(frame.memory, column, 4))
      val positions = frame.whole(new PositionRanks(frame.memory, column, true, 4))
      rows => {
        val values = rows.flatMap(frame.value(_))
        assert(sum.bigInteger === values.map(BigInt(_)).sum.bigInteger)
        assert(count.count === values.size)
        assert(xor.xor === values.foldLeft(0L)(_ ^ _))
        assert(Seq(and.count, or.count) === Seq(values.size, values.size))
        assert(and.value === values.foldLeft(-1L)(_ & _))
        assert(or.value === values.foldLeft(0L)(_ | _))
        val wanted = HyperLogLogSuite.naive(4, values.iterator.map(HyperLogLogSuite.place(4, _)))
        assert(registers.zeros === wanted.count(_ == 0))
        assert(registers.inverseSum === wanted.foldLeft(0.0)((s, r) => s + 1.0 / (1L << r)))
        val sorted = values.sorted
        assert(sorted.indices.map(i => ranks(i.toLong)) === sorted)
        assert(sorted.indices.map(i => column(positions(i.toLong))) === sorted)
      }
    })
    forAll(cases(Kind.doubles))(through(Kind.doubles, _) { frame =>
      val column = frame.column.asInstanceOf[DoubleColumn]
      val sum = frame.whole(new ExactSum(column))
      val moments = frame.whole(new Moments(column, 2))
      rows => {
        val present = rows.flatMap(frame.value(_))
        val kept = new DoubleColumn(Memory.Unlimited, false)
        kept.addReader(new Column.Reader { override def floor: Long = 0L })
        present.foreach(kept.append)
        val fresh = new ExactSum(kept)
        val again = new Moments(kept, 2)
        fresh.enter(0L, present.size.toLong)
        again.enter(0L, present.size.toLong)
        assert(sum.count === fresh.count)
        assert(java.lang.Double.compare(sum.sum, fresh.sum) === 0)
        if (sum.count > 0L) {
          assert(java.lang.Double.compare(moments.sums.variance(0), again.sums.variance(0)) === 0)
        }
      }
    })
  }
}

object PiecesSuite {
  final case class Case[A](
      lower: Option[Int],
      upper: Int,
      ties: Boolean,
      partitions: Seq[(Vector[Option[A]], Vector[Int])]
  )

  def cases[A](kind: Kind[A], nulls: Boolean = true): Gen[Case[A]] = {
    val sizes = Gen.frequency(1 -> Gen.choose(0, 3), 5 -> Gen.choose(1, 150))
    val partition = for {
      drawn <- kind.values(sizes)
      values = if (nulls) drawn else drawn.filter(_.isDefined)
      steps <- Gen.containerOfN[Vector, Int](values.size, Gen.frequency(3 -> 0, 2 -> 1))
    } yield values -> steps.scanLeft(0)(_ + _).take(values.size)
    for {
      a <- Gen.choose(-30, 20)
      width <- Gen.choose(0, 40)
      isUnbounded <- Gen.prob(0.2)
      ties <- Gen.oneOf(true, false)
      partitions <- Gen.listOfN(2, partition)
    } yield Case(if (isUnbounded) None else Some(a), a + width, ties, partitions)
  }

  /** A frame that creates accumulators. */
  final class Frame[A](kind: Kind[A], val memory: CountingMemory, c: Case[A]) {
    private var made = Seq.empty[() => Unit]
    private val peers = new LongColumn(Memory.Unlimited, false)
    private var values = Vector.empty[Option[A]]

    val column: Column = kind.column(memory)

    private def atPeers(after: Boolean): Edge = new RangeEdge(new PeerKeys(peers), after)

    val motion: PiecedMotion = new PiecedMotion(
      c.lower.fold[Edge](UnboundedStart)(n => new RowsEdge(n.toLong)),
      new RowsEdge(c.upper + 1L),
      if (c.ties) {
        Array(atPeers(after = false), new RowsEdge(0), new RowsEdge(1), atPeers(after = true))
      } else Array(atPeers(after = false), atPeers(after = true)),
      CompleteFrames.Always
    )

    column.addReader(motion)
    peers.addReader(motion)

    def value(row: Int): Option[A] = values(row)

    lazy val pieces: Seq[Motion] = motion.pieces

    def driven[B <: Accumulator](make: => B): Seq[B] = pieces.map { piece =>
      val accumulator = make
      piece.drive(accumulator)
      closing(accumulator)
      accumulator
    }

    def whole[B <: Accumulator](make: => B): B = {
      val accumulator = make
      assert(accumulator.anyOrder)
      motion.drive(accumulator)
      closing(accumulator)
      accumulator
    }

    def closing(accumulator: Accumulator): Unit = made = made :+ (() => accumulator.close())

    def run(check: Seq[Int] => Any): Unit = {
      c.partitions.foreach { case (rows, numbers) =>
        column.clear()
        peers.clear()
        values = rows
        motion.startPartition()
        var row = 0
        def advance(): Unit = {
          motion.advance(row.toLong)
          check(rows.indices.filter { j =>
            c.lower.forall(row + _ <= j) && j <= row + c.upper &&
            (numbers(j) != numbers(row) || c.ties && j == row)
          })
          row += 1
        }
        rows.indices.foreach { p =>
          kind.append(column, rows(p))
          peers.append(numbers(p).toLong)
          motion.arrive(p + 1L)
          while (row <= p && motion.isReady(row.toLong, p + 1L, ended = false)) advance()
        }
        while (row < rows.size) {
          assert(motion.isReady(row.toLong, rows.size.toLong, ended = true))
          advance()
        }
      }
      made.foreach(_())
      column.close()
      assert(memory.held == 0L)
    }
  }

  def through[A](kind: Kind[A], c: Case[A])(setUp: Frame[A] => Seq[Int] => Any): Unit = {
    val frame = new Frame(kind, new CountingMemory, c)
    frame.run(setUp(frame))
  }
}

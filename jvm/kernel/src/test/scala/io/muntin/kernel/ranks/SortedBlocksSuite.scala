package io.muntin.kernel.ranks

import scala.collection.mutable

import io.muntin.kernel.{Cases, CountingMemory, Kind, MemoryPages, SampledTests}
import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.{Memory, PageStore, Paging}
import io.muntin.kernel.sums.IntegerSumSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SortedBlocksSuite extends SampledTests with ScalaCheckPropertyChecks {
  import SortedBlocksSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(200))

  test("keys are added, removed and found by rank as in a sorted list, for any rejected request") {
    forAll(steps, capacities, Gen.choose(1, 30)) { (steps, capacity, refused) =>
      val memory = new CountingMemory(refused)
      val blocks = new SortedKeys(memory, capacity)
      var model = Vector.empty[Long]
      steps.foreach {
        case Add(entries) =>
          entries.foreach { entry =>
            CountingMemory.retrying(blocks.add(entry))
            model = inserted(model, entry)
          }
        case Remove(places) =>
          places.take(model.size).foreach { place =>
            val entry = model(place % model.size)
            assert(blocks.remove(entry))
            model = model.diff(Seq(entry))
          }
        case Miss(entry) =>
          if (!model.contains(entry)) assert(!blocks.remove(entry))
        case Clear =>
          blocks.clear()
          model = Vector.empty
      }
      assert(content(blocks) === model)
      blocks.close()
      assert(memory.held === 0L)
    }
  }

  test("if memory is short, blocks are written to disk, with the results of a sorted list") {
    forAll(Gen.oneOf(2, 3, 16), Gen.choose(0, 3000), Gen.long) { (capacity, more, seed) =>
      val store = new MemoryPages
      val memory = new ShortMemory(directory(700, capacity) + 8L * 24 * capacity + more, store)
      val blocks = new SortedKeys(memory, capacity)
      val random = new scala.util.Random(seed)
      val range = if (random.nextBoolean()) 10 else 1000
      val model = mutable.ArrayBuffer.empty[Long]
      for (round <- 1 to 3) {
        val goal = random.nextInt(600 / round)
        for (_ <- 1 to 700) {
          if (random.nextInt(goal + model.size + 1) < goal) {
            val entry = random.nextInt(range).toLong
            blocks.add(entry)
            model.insert(after(model, entry), entry)
          } else if (model.nonEmpty) {
            assert(blocks.remove(model.remove(random.nextInt(model.size))))
          }
          if (model.nonEmpty) {
            val rank = random.nextInt(model.size)
            assert(blocks(rank.toLong) === model(rank))
          }
          // Another consumer requests memory.
          if (random.nextInt(40) == 0) memory.paging.get.giveUp(): Unit
          assert(blocks.size === model.size)
        }
        assert(content(blocks) === model.toVector)
        if (round < 3) {
          blocks.clear()
          model.clear()
          assert(store.held === 0)
        }
      }
      blocks.close()
      assert(store.held === 0)
      assert(memory.held === 0L)
    }
  }

  test("many more entries than memory") {
    val store = new MemoryPages
    val memory = new ShortMemory(60_000L, store)
    val blocks = new SortedKeys(memory, 64)
    val keys = scala.util.Random.shuffle((0L until 30_000L).toVector)
    keys.foreach(blocks.add)
    assert(store.held > 300)
    (0L until 30_000L by 371L).foreach(r => assert(blocks(r) === r))
    keys.foreach(k => if (k % 2 == 1L) assert(blocks.remove(k)))
    (0L until 15_000L by 371L).foreach(r => assert(blocks(r) === 2L * r))
    blocks.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }

  for ((name, shape) <- shapes; capacity <- Seq(2, 3, 8, 50))
    sampledTest(
      s"$name, in blocks of $capacity: every rank, and room for four times the entries"
    ) {
      val memory = new CountingMemory
      val blocks = new SortedKeys(memory, capacity)
      val model = mutable.ArrayBuffer.empty[Long]
      var most = 0
      for (round <- 1 to 2) {
        shape.foreach { step =>
          if (step.comes) {
            blocks.add(step.key)
            model.insert(after(model, step.key), step.key)
          } else {
            assert(blocks.remove(step.key))
            model.remove(after(model, step.key) - 1): Unit
          }
          most = math.max(most, model.size)
          assert(blocks.size === model.size)
          if (model.nonEmpty) {
            val ranks = Seq(0, model.size / 3, model.size / 2, model.size - 1)
            ranks.foreach(r => assert(blocks(r.toLong) === model(r), s"$r of $model"))
          }
          assert(memory.held <= room(model.size, capacity) + directory(most, capacity))
        }
        assert(content(blocks) === model.toVector)
        if (round == 1) {
          blocks.clear()
          model.clear()
          assert(blocks.size === 0)
          assert(memory.held <= room(0, capacity) + directory(most, capacity))
        }
      }
      blocks.close()
      assert(memory.held === 0L)
    }

  test("blocks of the usual size fill up if entries arrive in order, in either direction") {
    for (sign <- Seq(1L, -1L)) {
      val memory = new CountingMemory
      val blocks = new SortedKeys(memory, SortedBlocks.BlockSize)
      val n = 100_000
      (0 until n).foreach(i => blocks.add(sign * i))
      assert(memory.held <= 8L * n + 4096 + directory(n, SortedBlocks.BlockSize))
      (0 until n by 997).foreach { r =>
        assert(blocks(r.toLong) === (if (sign > 0) r.toLong else r - n + 1L))
      }
      blocks.close()
    }
  }

  test("more random entries than a cache contains, and every second one is removed") {
    val random = new java.util.SplittableRandom(11)
    val keys = Array.fill(400_000)(random.nextLong())
    val blocks = new SortedKeys(Memory.Unlimited, SortedBlocks.BlockSize)
    keys.foreach(blocks.add)
    def checkAll(sorted: Array[Long]): Unit = {
      assert(blocks.size === sorted.length)
      sorted.indices.foreach(r => if (blocks(r.toLong) != sorted(r)) fail(s"rank $r"))
    }
    checkAll(keys.sorted)
    val (gone, kept) = keys.zipWithIndex.partition(_._2 % 2 == 0)
    gone.foreach { case (key, _) => assert(blocks.remove(key)) }
    checkAll(kept.map(_._1).sorted)
  }

  test("clearing releases all but a few blocks, and these are reused") {
    val memory = new CountingMemory
    val blocks = new SortedKeys(memory, 64)
    (0L until 50_000L).foreach(blocks.add)
    blocks.clear()
    val kept = memory.held
    assert(kept <= 16 * 512L + directory(50_000, 64))
    (1 to 100).foreach { _ =>
      (0L until 500L).foreach(blocks.add)
      assert(memory.held === kept)
      blocks.clear()
    }
    blocks.close()
    assert(memory.held === 0L)
  }

  test("the entry after any entry, also from the disk") {
    forAll(Gen.listOf(Gen.choose(0L, 3000L)), Gen.listOf(Gen.choose(-1L, 3001L)), capacities) {
      (drawn, asked, capacity) =>
        val store = new MemoryPages
        val memory = new ShortMemory(8L * capacity * 9 + 60L * 1000, store)
        val blocks = new SortedKeys(memory, capacity)
        val entries = drawn.distinct
        entries.foreach(blocks.add)
        while (blocks.giveUp()) ()
        assert(entries.size < 10 * capacity || store.held > 0)
        val sorted = entries.sorted
        (asked ++ entries).foreach { entry =>
          assert(blocks.after(entry) === sorted.find(_ > entry).getOrElse(-1L))
        }
        blocks.close()
        assert(store.held === 0)
        assert(memory.held === 0L)
    }
  }

  test("no memory is requested before the first entry") {
    val memory = new CountingMemory
    val blocks = new SortedKeys(memory, 8)
    assert(blocks.size === 0L && !blocks.remove(3L))
    blocks.clear()
    assert(memory.requests === 0)
    blocks.close()
    assert(memory.held === 0L)
  }

  test("positions have the order of their values, and equal values their own order") {
    forAll(Kind.strings.values(Gen.choose(0, 120)), capacities, Gen.choose(0L, 1L << 40)) {
      (drawn, capacity, seed) =>
        val values = drawn.flatten
        val column = Kind.strings.column(Memory.Unlimited)
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        values.foreach(Kind.strings.put(column, _))
        val random = new scala.util.Random(seed)
        val blocks = new SortedPositions(Memory.Unlimited, column, capacity)
        val all = values.indices.toVector
        random.shuffle(all).foreach(p => blocks.add(p.toLong))
        val sorted = all.sortBy(p => (values(p), p)).map(_.toLong)
        assert(content(blocks) === sorted)
        val gone = random.shuffle(sorted).take(sorted.size / 2)
        gone.foreach { p =>
          assert(blocks.remove(p))
          assert(!blocks.remove(p))
        }
        assert(content(blocks) === sorted.diff(gone))
    }
  }
}

object SortedBlocksSuite {
  sealed trait Step
  final case class Add(entries: List[Long]) extends Step
  final case class Remove(places: List[Int]) extends Step
  final case class Miss(entry: Long) extends Step
  case object Clear extends Step

  /**
   * A fixed number of bytes, and consumers that release memory for other consumers, as a task's
   * memory does.
   */
  final class ShortMemory(bytes: Long, val pages: Paging) extends Memory {
    private var used = 0L

    def this(bytes: Long, store: PageStore) = this(bytes, new Paging(store))

    def held: Long = used

    override def paging: Option[Paging] = Some(pages)

    override def tryAcquire(size: Long): Boolean = {
      require(size >= 0L)
      val isGranted = used + size <= bytes
      if (isGranted) used += size
      isGranted
    }

    override def acquire(size: Long): Unit = {
      while (used + size > bytes && pages.giveUp()) ()
      if (used + size > bytes) throw new CountingMemory.Refused
      used += size
    }

    override def release(size: Long): Unit = {
      require(size >= 0L && size <= used)
      used -= size
    }
  }

  val capacities: Gen[Int] = Gen.oneOf(2, 3, 4, 7, 16)

  private val entry: Gen[Long] =
    Gen.oneOf(Gen.choose(-5L, 5L), Gen.choose(-1000L, 1000L), IntegerSumSuite.extreme)

  val steps: Gen[List[Step]] = Gen.listOf(
    Gen.frequency[Step](
      20 -> Gen.listOf(entry).map(Add),
      18 -> Gen.listOf(Gen.choose(0, 10000)).map(Remove),
      5 -> entry.map(Miss),
      1 -> Gen.const(Clear)
    )
  )

  final case class ArrayCopy(key: Long, comes: Boolean)

  private val Rows = 1500
  private val Width = 400

  /** Rows enter in order and leave in order, `Width` of them at a time, or all of them. */
  private def sliding(key: Int => Long, width: Int = Width): Seq[ArrayCopy] =
    (0 until Rows + width).flatMap { i =>
      val gone = i - width
      (if (i < Rows) Seq(ArrayCopy(key(i), comes = true)) else Seq.empty) ++
        (if (gone >= 0 && gone < Rows) Seq(ArrayCopy(key(gone), comes = false)) else Seq.empty)
    }

  private def hashed(i: Int): Long = Column.mix(i.toLong).toLong

  val shapes: Seq[(String, Seq[ArrayCopy])] = Seq(
    "ascending" -> sliding(_.toLong),
    "descending" -> sliding(-_.toLong),
    "all equal" -> sliding(_ => 7L),
    "two values" -> sliding(i => (i / 3 % 2).toLong),
    "random" -> sliding(hashed),
    "random, few" -> sliding(i => hashed(i) & 15L),
    "sawtooth" -> sliding(i => (i % 97).toLong),
    "long teeth" -> sliding(i => (i % 700).toLong),
    "from both ends" -> sliding(i => if (i % 2 == 0) i.toLong else -i.toLong),
    "growing, then shrinking" -> sliding(hashed, Rows),
    "ascending, then shrinking" -> sliding(_.toLong, Rows),
    "all but every fiftieth leave, then those come again" -> {
      val all = (0 until Rows).map(i => ArrayCopy(i.toLong, comes = true))
      val most = (0 until Rows).filter(_ % 50 != 0).map(i => ArrayCopy(i.toLong, comes = false))
      all ++ most ++ most.map(_.copy(comes = true))
    }
  )

  def content(blocks: SortedBlocks): Vector[Long] =
    (0L until blocks.size).map(blocks(_)).toVector

  def inserted(sorted: Vector[Long], entry: Long): Vector[Long] = {
    val (before, behind) = sorted.span(_ <= entry)
    (before :+ entry) ++ behind
  }

  /** Returns the number of entries that are not above the key. */
  def after(sorted: mutable.ArrayBuffer[Long], key: Long): Int = {
    var from = 0
    var until = sorted.size
    while (from < until) {
      val middle = (from + until) / 2
      if (sorted(middle) <= key) from = middle + 1 else until = middle
    }
    from
  }

  /** The size for four times the entries, one block for the first entry, and the spare blocks. */
  def room(entries: Int, capacity: Int): Long = 8L * (4L * entries + 17L * capacity)

  /** The size for the maximum number of blocks, with room for twice as many. */
  def directory(entries: Int, capacity: Int): Long = 2L * 30L * (8 + 4L * entries / capacity)
}

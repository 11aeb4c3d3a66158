package io.muntin.kernel.columns

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{CountingMemory, Kind, MemoryPages}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.extremes.SlidingExtreme
import io.muntin.kernel.memory.{Memory, Paging}
import io.muntin.kernel.motions.{FrameMotion, RowsEdge}
import io.muntin.kernel.sums.IntegerSum
import org.scalacheck.{Gen, Shrink}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class PagesSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import PagesSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 60)

  // Smaller values need other pages, and many values take long.
  implicit private def unshrunk[A]: Shrink[A] = Shrink.shrinkAny

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    test(s"${kind.name}: needed values can be read from memory and disk under memory pressure") {
      forAll(
        kind.values(Gen.choose(100, 900)),
        Gen.long,
        Gen.choose(100, 6000),
        Gen.oneOf(1, 4, 64)
      ) {
        (values, seed, bytes, rows) =>
          val random = new Random(seed)
          val memory = new LimitedMemory(1200L + bytes)
          val store = new MemoryPages
          val paging = new Paging(store, rows, least = 64, isForced = random.nextBoolean())
          val column = kind.column(memory)
          column.spillTo(paging)
          val floors = Array.fill(1 + random.nextInt(4))(0L)
          floors.indices.foreach { i =>
            column.addReader(new Column.Reader { override def floor: Long = floors(i) })
          }
          def check(position: Long, offset: Long): Unit = {
            val expected = values((position - offset).toInt)
            assert(ColumnSuite.same(kind.read(column, position), expected))
            ()
          }
          (1 to 2).foreach { _ =>
            val first = if (random.nextBoolean()) 0L else random.nextInt(1000).toLong
            column.clear(first)
            floors.indices.foreach(floors(_) = first)
            val keeps = random.nextInt(values.size)
            values.foreach { value =>
              memory.orElse(paging)(kind.append(column, value))
              val until = column.size
              // Readers move at different distances, and jump.
              floors.indices.foreach { i =>
                val target = math.max(first, until - keeps * (i + 1) / floors.length)
                if (random.nextInt(3) > 0) floors(i) = math.max(floors(i), target)
                if (floors(i) < until) memory.orElse(paging)(check(floors(i), first))
              }
              memory.orElse(paging)(check(until - 1L, first))
              if (random.nextInt(20) == 0) {
                val needed = floors.min + (random.nextDouble() * (until - floors.min)).toLong
                if (needed < until) memory.orElse(paging)(check(needed, first))
              }
              if (random.nextInt(50) == 0) paging.giveUp(): Unit
              if (random.nextInt(50) == 0) {
                column.takeBack()
                memory.orElse(paging)(kind.append(column, value))
              }
            }
            (floors.min until column.size).foreach(p => memory.orElse(paging)(check(p, first)))
          }
          column.close()
          assert(memory.held === 0L)
          assert(store.held === 0)
      }
    }

    test(s"${kind.name}: rows that are read in order are evicted once and read back once") {
      val rows = 8
      val many = 20_000
      val value = Iterator.continually(kind.value.sample).flatten.find {
        // Long enough to be rejected, and short enough to be held 5000 times.
        case s: String => s.length >= 4 && s.length < 20
        case _ => true
      }.get
      val store = new MemoryPages
      // Objects request memory in steps.
      val memory = new LimitedMemory(if (kind eq Kind.strings) 140_000L else 5000L)
      val column = kind.column(memory)
      column.spillTo(new Paging(store, rows, least = 64))
      var oldest = 0L
      column.addReader(new Column.Reader { override def floor: Long = oldest })
      (0 until many).foreach { p =>
        kind.append(column, if (p % 7 == 0) None else Some(value))
        if (p >= 5000) {
          assert(column.isNull(oldest) === (oldest % 7 == 0))
          oldest += 1
        }
      }
      assert(column.isPaged)
      assert(store.written <= many / rows + 1)
      assert(store.read <= (many - 5000) / rows + 1)
      assert(store.read > (many - 6000) / rows - 100)
      assert(store.held <= 5000 / rows + 3)
      column.close()
      assert(store.held === 0)
      assert(memory.held === 0L)
    }
  }

  Kind.all.foreach(kind => registerCells(kind))

  private def registerCells[A](kind: Kind[A]): Unit =
    test(s"${kind.name}: cells are overwritten, in memory and on disk, under any memory pressure") {
      forAll(kind.values(Gen.choose(100, 600)), Gen.long, Gen.choose(100, 6000), Gen.oneOf(1, 64)) {
        (values, seed, bytes, rows) =>
          val random = new Random(seed)
          val memory = new LimitedMemory(1200L + bytes)
          val store = new MemoryPages
          val paging = new Paging(store, rows, least = 64, isForced = random.nextBoolean())
          val source = kind.column(Memory.Unlimited)
          source.addReader(new Column.Reader { override def floor: Long = 0L })
          values.foreach(kind.append(source, _))
          val cells = kind.column(Memory.Unlimited).cells(0)
          cells.scattersTo(paging)
          (1 to 2).foreach { _ =>
            val model = mutable.ArrayBuffer.empty[Option[A]]
            def check(i: Int): Unit = memory.orElse(paging) {
              assert(ColumnSuite.same(kind.read(cells, i.toLong), model(i)))
              ()
            }
            values.indices.foreach { i =>
              memory.orElse(paging)(if (cells.size == i) cells.appendNull())
              model += None
              memory.orElse(paging)(cells.set(i.toLong, source, i.toLong))
              model(i) = values(i)
              val other = random.nextInt(i + 1)
              random.nextInt(4) match {
                case 0 => check(other)
                case 1 =>
                  val from = random.nextInt(values.size)
                  memory.orElse(paging)(cells.set(other.toLong, source, from.toLong))
                  model(other) = values(from)
                case 2 =>
                  memory.orElse(paging)(cells.unset(other.toLong))
                  model(other) = None
                case _ =>
              }
              if (random.nextInt(50) == 0) paging.giveUp(): Unit
              check(i)
            }
            model.indices.foreach(check)
            cells.clear()
            assert(store.held === 0)
          }
          cells.close()
          assert(memory.held === 0L)
      }
    }

  test("a dropped column begins in memory again, with its remaining rows") {
    val memory = new LimitedMemory(5000L)
    val store = new MemoryPages
    val column = new LongColumn(memory, nullable = false)
    column.spillTo(new Paging(store, 16, least = 64))
    column.addReader(new Column.Reader { override def floor: Long = 0L })
    (0 until 1000).foreach(p => column.append(p.toLong))
    assert(column.isPaged)
    val held = memory.held
    column.clear()
    assert(!column.isPaged)
    assert(store.held === 0)
    assert(memory.held === held)
    (0 until 200).foreach(p => column.append(p.toLong))
    assert(!column.isPaged)
    assert(column(199) === 199L)
  }

  test("the largest column releases memory for other consumers, down to a few pages") {
    val memory = new LimitedMemory(1L << 20)
    val store = new MemoryPages
    val paging = new Paging(store, 16, least = 64)
    val columns = Seq(60_000, 5_000, 40).map { size =>
      val column = new LongColumn(memory, nullable = false)
      column.spillTo(paging)
      column.addReader(new Column.Reader { override def floor: Long = 0L })
      (0 until size).foreach(p => column.append(p.toLong))
      column
    }
    val before = memory.held
    assert(paging.giveUp())
    assert(memory.held <= before - (1L << 18))
    assert(columns.map(_.isPaged) === Seq(true, false, false))
    while (paging.giveUp()) ()
    assert(memory.held < 8000L)
    assert(columns.map(_.isPaged) === Seq(true, true, false))
    columns.foreach { c =>
      (0L until c.size).foreach(p => assert(c(p) === p))
      c.close()
    }
    assert(memory.held === 0L)
    assert(store.held === 0)
  }

  test("extremes and sums of frames that do not fit in memory") {
    forAll(Gen.long, Gen.oneOf(50, 700, 5000)) { (seed, width) =>
      val random = new Random(seed)
      val memory = new LimitedMemory(6000L)
      val store = new MemoryPages
      val column = new LongColumn(memory, nullable = false)
      column.spillTo(new Paging(store, 16, least = 64))
      val most = new SlidingExtreme(Memory.Unlimited, column, column, 1, false, block = 32)
      val sum = new IntegerSum(column)
      val motion = new FrameMotion(new RowsEdge(1L - width), new RowsEdge(1L))
      motion.drive(most)
      motion.drive(sum)
      column.addReader(motion)
      motion.startPartition(0L)
      val values = Vector.fill(6000)(random.nextInt(1000).toLong)
      val sums = values.scanLeft(0L)(_ + _)
      values.indices.foreach { p =>
        column.append(values(p))
        motion.arrive(p + 1L)
        assert(motion.isReady(p.toLong, p + 1L, ended = false))
        motion.advance(p.toLong): Unit
        val from = math.max(0, p + 1 - width)
        assert(sum.long === sums(p + 1) - sums(from))
        assert(p % 97 != 0 || column(most.position) === values.slice(from, p + 1).max)
      }
      assert((width > 500) === column.isPaged)
      column.close()
    }
  }
}

object PagesSuite {

  /** A fixed number of bytes; a required request that is denied is an exception. */
  final class LimitedMemory(bytes: Long) extends Memory {
    private var used = 0L
    private var extra = 0L

    def held: Long = used

    override def acquire(size: Long): Unit =
      if (!tryAcquire(size)) throw new CountingMemory.Refused

    override def tryAcquire(size: Long): Boolean = {
      require(size >= 0L)
      val isGranted = used + size <= bytes + extra
      if (isGranted) used += size
      isGranted
    }

    override def release(size: Long): Unit = {
      require(size >= 0L && size <= used)
      used -= size
    }

    /**
     * Runs the body, which may be rejected; then others release memory, and the body runs again.
     */
    def orElse(paging: Paging)(step: => Unit): Unit = {
      var isDone = false
      while (!isDone)
        try {
          step
          isDone = true
        } catch {
          case _: CountingMemory.Refused => if (!paging.giveUp()) extra += 64L << 10
        }
    }
  }
}

package io.muntin.kernel.columns

import java.math.BigInteger
import io.muntin.kernel.{CountingMemory, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ColumnSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ColumnSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    test(s"${kind.name}: contains every row from its readers' lowest floor on, for any refusal") {
      forAll(steps(kind), Gen.choose(1, 9)) { (steps, refused) =>
        val memory = new CountingMemory(refused + 1)
        val column = kind.column(memory)
        val floors = Array.fill(2)(0L)
        floors.indices.foreach { i =>
          column.addReader(new Column.Reader { override def floor: Long = floors(i) })
        }
        var model = Vector.empty[Option[A]]
        steps.foreach {
          case Append(values) =>
            values.foreach { value =>
              CountingMemory.retrying(kind.append(column, value))
              model :+= value
            }
          case Forget(reader, rows) =>
            floors(reader) = math.min(column.size, floors(reader) + rows)
          case Set(target, source) =>
            val live = model.size - floors.min.toInt
            if (live > 0) {
              val from = floors.min + source % live
              val to = floors.min + target % live
              CountingMemory.retrying(column.set(to, column, from))
              model = model.updated(to.toInt, model(from.toInt))
            }
          case Clear =>
            column.clear()
            floors.indices.foreach(floors(_) = 0L)
            model = Vector.empty
        }
        assert(column.size === model.size)
        (floors.min until column.size).foreach { p =>
          assert(same(kind.read(column, p), model(p.toInt)))
        }
        column.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: grows with live rows at any offset") {
      forAll(kind.values(Gen.choose(150, 300)), Gen.choose(0, 130)) { (values, forgotten) =>
        val memory = new CountingMemory
        val column = kind.column(memory)
        column.addReader(new Column.Reader {
          override def floor: Long = math.min(column.size, forgotten.toLong)
        })
        values.foreach(kind.append(column, _))
        (forgotten until values.size).foreach { p =>
          assert(same(kind.read(column, p.toLong), values(p)))
        }
        column.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: compares values as SQL does, within a column and between columns") {
      forAll(kind.value, kind.value) { (a, b) =>
        val column = kind.column(Memory.Unlimited, nullable = false)
        val other = kind.column(Memory.Unlimited)
        kind.put(column, a)
        kind.put(column, b)
        other.appendNull()
        kind.put(other, b)
        val expected = Integer.signum(kind.order.compare(a, b))
        assert(Integer.signum(column.compare(0, 1)) === expected)
        assert(Integer.signum(column.compare(1, 0)) === -expected)
        assert(Integer.signum(column.compareTo(0, other, 1)) === expected)
        assert(column.compare(0, 0) === 0)
      }
    }

    test(s"${kind.name}: equal values have equal hashes") {
      forAll(kind.value, kind.value) { (a, b) =>
        val column = kind.column(Memory.Unlimited, nullable = false)
        Seq(a, b, a).foreach(kind.put(column, _))
        assert(column.hash(0) === column.hash(2))
        if (column.compare(0, 1) == 0) assert(column.hash(0) === column.hash(1))
      }
    }

    test(s"${kind.name}: an unset value is null, and its bytes are released") {
      forAll(kind.values(Gen.choose(1, 40))) { values =>
        val memory = new CountingMemory
        val column = kind.column(memory)
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        values.foreach(kind.append(column, _))
        values.indices.filter(_ % 2 == 0).foreach(p => column.unset(p.toLong))
        values.indices.foreach { p =>
          val expected = if (p % 2 == 0) None else values(p)
          assert(same(kind.read(column, p.toLong), expected))
        }
        column.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: cells are independent of their column and of each other") {
      forAll(kind.values(Gen.choose(1, 200))) { values =>
        val memory = new CountingMemory
        val column = kind.column(memory)
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        values.foreach(kind.append(column, _))
        val cells = column.cells(values.size)
        assert(values.indices.forall(p => cells.isNull(p.toLong)))
        values.indices.foreach { p =>
          cells.set((values.size - 1 - p).toLong, column, p.toLong)
        }
        column.close()
        assert(values.indices.forall(p => same(kind.read(cells, p.toLong), values.reverse(p))))
        cells.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: values in another order") {
      forAll(kind.values(Gen.choose(0, 200)), Gen.long) { (values, seed) =>
        val memory = new CountingMemory
        val column = kind.column(memory)
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        values.foreach(kind.append(column, _))
        val order = new scala.util.Random(seed).shuffle(values.indices.toVector)
        val held = memory.held
        column.reorder(order.toArray)
        assert(memory.held === held)
        values.indices.foreach { p =>
          assert(same(kind.read(column, p.toLong), values(order(p))))
        }
        column.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: cells of a column without nulls accept nulls") {
      val column = kind.column(Memory.Unlimited, nullable = false)
      assert(!column.isNullable)
      assert(column.cells(1).isNullable)
      assert(column.cells(1).isNull(0))
    }

    test(s"${kind.name}: the first request is rejected") {
      val memory = new CountingMemory(1)
      assertThrows[CountingMemory.Refused](kind.column(memory))
      assert(memory.held === 0L)
    }
  }

  test("a column that looks back W rows contains W values, not the partition") {
    // A ring is at most three quarters full, because it doubles first.
    for ((kept, capacity) <- Seq(1 -> 64, 48 -> 64, 49 -> 128, 96 -> 128, 97 -> 256))
      for ((nullable, width) <- Seq(false -> 8L, true -> 9L)) {
        val memory = new CountingMemory
        val column = new LongColumn(memory, nullable)
        column.addReader(new Column.Reader { override def floor: Long = column.size - kept })
        (0L until 5000L).foreach { p =>
          column.append(p)
          val oldest = math.max(0L, p - kept + 1)
          assert(column(oldest) === oldest)
        }
        assert(memory.held === capacity * width)
        column.clear()
        assert(memory.held === capacity * width)
        column.close()
        assert(memory.held === 0L)
      }
  }

  test("a column without readers contains no values") {
    val memory = new CountingMemory
    val column = new Int128Column(memory, true)
    (0L until 1000L).foreach { p =>
      column.append(p, -p)
      assert(column.high(p) === p)
      assert(column.low(p) === -p)
    }
    assert(memory.held === 64 * 17L)
  }

  test("the bytes of objects are held while a reader needs them") {
    val memory = new CountingMemory
    val column = Kind.strings.column(memory).asInstanceOf[ObjectColumn]
    val arrays = memory.held
    var oldest = 0L
    column.addReader(new Column.Reader { override def floor: Long = oldest })
    val kilobyte = "x" * 1024
    (0 until 4000).foreach { p =>
      column.append(kilobyte)
      oldest = math.max(0L, p - 40L)
      assert(memory.held >= arrays + (column.size - oldest) * 1024)
      assert(memory.held <= arrays + 64 * 1024L + 5 * 64 * 1024L)
    }
    column.append("y" * 5000000)
    assert(memory.held >= arrays + 5000000L)
    (0 until 200).foreach { _ =>
      oldest = column.size
      column.append("")
    }
    // The large value is dropped, and its granted memory is released.
    assert(memory.held <= arrays + 5 * 64 * 1024L)
    column.append(kilobyte)
    column.clear()
    assert(memory.held === arrays)
    column.close()
    assert(memory.held === 0L)
  }

  test("replacing an object by null, and null by an object, is accounted for") {
    val memory = new CountingMemory
    val column = Kind.strings.column(memory)
    val arrays = memory.held
    val source = Kind.strings.column(Memory.Unlimited)
    Kind.strings.append(source, None)
    Kind.strings.append(source, Some("x" * 1000000))
    Kind.strings.append(source, Some("x" * 10))
    Kind.strings.append(column, Some("a"))
    (1 to 50).foreach { _ =>
      column.set(0, source, 1)
      assert(memory.held >= arrays + 1000000)
      // Two objects, because one replaces the other.
      assert(memory.held <= arrays + 2 * 1000000 + 64 * 1024)
      column.set(0, source, 0)
      assert(column.isNull(0))
      column.set(0, source, 2)
      column.set(0, source, 1)
    }
    column.clear()
    assert(memory.held === arrays)
  }

  test("a rejected request leaves the previous value unchanged") {
    val sized = Kind.strings
    val source = sized.column(Memory.Unlimited)
    sized.append(source, Some("x" * 1000000))
    Seq(Some("a"), None).foreach { before =>
      val requests = new CountingMemory
      sized.append(sized.column(requests), before)
      val memory = new CountingMemory(requests.requests + 1)
      val column = sized.column(memory)
      sized.append(column, before)
      val held = memory.held
      assertThrows[CountingMemory.Refused](column.set(0, source, 0))
      assert(sized.read(column, 0) === before)
      assert(memory.held === held)
      column.close()
      assert(memory.held === 0L)
    }
  }

  Kind.all.foreach(kind => registerRefusal(kind))

  private def registerRefusal[A](kind: Kind[A]): Unit =
    test(s"${kind.name}: a column that could not grow releases everything") {
      forAll(kind.value, minSuccessful(20)) { value =>
        def fill(memory: Memory): Column = {
          val column = kind.column(memory)
          column.addReader(new Column.Reader { override def floor: Long = 0L })
          try (0 until 300).foreach(_ => kind.put(column, value))
          catch { case _: CountingMemory.Refused => () }
          column
        }
        val memory = new CountingMemory
        assert(fill(memory).size === 300)
        (2 to memory.requests).foreach { k =>
          val refusing = new CountingMemory(k)
          val column = fill(refusing)
          assert(column.size < 300)
          (0L until column.size).foreach(p => assert(same(kind.read(column, p), Some(value))))
          column.close()
          assert(refusing.held === 0L)
        }
      }
    }

  test("128-bit integers compare their low words as unsigned") {
    forAll(Kind.int128s.value, Kind.longs.value) { (a, low) =>
      val b = a.shiftRight(64).shiftLeft(64).or(Int128Column.unsigned(low))
      val high = a.shiftRight(64).longValue
      val c = Int128Column.compare(high, a.longValue, high, low)
      assert(Integer.signum(c) === a.compareTo(b))
      assert(BigInteger.valueOf(high).shiftLeft(64).compareTo(a) <= 0)
    }
  }
}

object ColumnSuite {
  sealed trait Step[+A]
  final case class Append[A](values: Vector[Option[A]]) extends Step[A]
  final case class Forget(reader: Int, rows: Int) extends Step[Nothing]
  final case class Set(target: Int, source: Int) extends Step[Nothing]
  case object Clear extends Step[Nothing]

  def steps[A](kind: Kind[A]): Gen[List[Step[A]]] = Gen.listOf(
    Gen.frequency[Step[A]](
      20 -> kind.values(Gen.choose(0, 50)).map(Append(_)),
      30 -> Gen.zip(Gen.choose(0, 1), Gen.choose(0, 60)).map(s => Forget(s._1, s._2)),
      20 -> Gen.zip(Gen.choose(0, 1000), Gen.choose(0, 1000)).map(s => Set(s._1, s._2)),
      1 -> Gen.const(Clear)
    )
  )

  /** Boxed, so that NaN equals NaN and the zeros differ. */
  def same(a: Option[Any], b: Option[Any]): Boolean =
    a.isDefined == b.isDefined &&
      a.zip(b).forall { case (x, y) => java.util.Objects.equals(x, y) }
}

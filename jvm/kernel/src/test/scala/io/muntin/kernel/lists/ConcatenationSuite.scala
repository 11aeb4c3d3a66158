package io.muntin.kernel.lists

import java.nio.charset.StandardCharsets.ISO_8859_1

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, ObjectColumn}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ConcatenationSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ConcatenationSuite._

  private val kind = Kind.strings
  private val delimiter = Gen.oneOf("", ",", "::", "d" * 700)

  for (
    (name, evicts, walk) <- Seq(("leave", true, Walk.sliding), ("only come", false, Walk.growing))
  )
    test(s"if rows $name, equals mkString") {
      forAll(ListedRowsSuite.partitions(kind, walk), delimiter) { case ((junk, partitions), d) =>
        val memory = new CountingMemory
        val column = new Held(kind, memory, junk)
        val list = concatenation(memory, column.column, d, evicts)
        partitions.foreach { case (walk, values) =>
          Walk.foreach(walk, Seq(column), list, evicts)(p => column.append(values(p))) { rows =>
            assert(result(list) === expected(rows.flatMap(values(_)), d))
          }
        }
        list.close()
        column.column.close()
        assert(memory.held === 0L)
      }
    }

  test("bytes of rows that left are released, and moves are rare") {
    val memory = new CountingMemory
    val column = new ObjectColumn(Memory.Unlimited, true, Strings)
    var needed = 0L
    column.addReader(new Column.Reader { override def floor: Long = needed })
    val list = concatenation(memory, column, ",", evicts = true)
    (0 until 30000).foreach { p =>
      val large = p >= 1000 && p < 1100
      column.append(if (large) "x" * 10000 else "y")
      list.enter(p.toLong, p + 1L)
      if (p >= 50) {
        needed = p - 49L
        list.leave(p - 50L, needed)
      }
      assert(list.count === math.min(p + 1, 50))
    }
    assert(result(list) === Some(Seq.fill(50)("y").mkString(",")))
    assert(memory.held < 4096L)
    assert(memory.requests < 40)
  }

  test("rows do not leave a growing frame") {
    val column = new ObjectColumn(Memory.Unlimited, true, Strings)
    val list = concatenation(Memory.Unlimited, column, ",", evicts = false)
    assertThrows[UnsupportedOperationException](list.leave(0, 1))
  }

  test("a rejected request changes nothing") {
    (3 to 9).foreach { refused =>
      val memory = new CountingMemory(refused)
      val column = new ObjectColumn(Memory.Unlimited, true, Strings)
      val values = Vector.tabulate(60)(i => i.toString * 20)
      values.foreach(column.append)
      val list = concatenation(memory, column, ",", evicts = true)
      var p = 0L
      while (p < values.size)
        try {
          list.enter(p, p + 1)
          p += 1
        } catch { case _: CountingMemory.Refused => }
      assert(result(list) === Some(values.mkString(",")))
      list.close()
      assert(memory.held === 0L)
    }
  }
}

object ConcatenationSuite {
  private object Strings extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int = 0
    override def hash(value: AnyRef): Int = value.hashCode
    override def sizeOf(value: AnyRef): Long = 1L
  }

  def concatenation(
      memory: Memory,
      column: Column,
      delimiter: String,
      evicts: Boolean
  ): Concatenation =
    new Concatenation(memory, column, new Latin(column), delimiter.getBytes(ISO_8859_1), evicts)

  def result(list: Concatenation): Option[String] =
    if (list.count == 0L) None
    else Some(new String(list.bytes, list.start, list.length, ISO_8859_1))

  def expected(values: Seq[String], delimiter: String): Option[String] =
    if (values.isEmpty) None else Some(values.mkString(delimiter))

  private final class Latin(column: Column) extends Concatenation.Source {
    private def at(position: Long) =
      column.asInstanceOf[ObjectColumn](position).asInstanceOf[String].getBytes(ISO_8859_1)

    override def length(position: Long): Int = at(position).length

    override def copy(position: Long, target: Array[Byte], offset: Int): Unit =
      System.arraycopy(at(position), 0, target, offset, at(position).length)
  }
}

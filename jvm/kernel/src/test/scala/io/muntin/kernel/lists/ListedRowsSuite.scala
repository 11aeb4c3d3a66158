package io.muntin.kernel.lists

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, ColumnSuite, LongColumn, ObjectColumn}
import io.muntin.kernel.extremes.ExtremeSuite
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ListedRowsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    test(s"${kind.name}: if rows leave, lists the values of the frame") {
      forAll(ListedRowsSuite.partitions(kind, Walk.sliding))(check(kind, _, evicts = true))
    }

    test(s"${kind.name}: if rows only enter, stores the values that the column drops") {
      forAll(ListedRowsSuite.partitions(kind, Walk.growing))(check(kind, _, evicts = false))
    }
  }

  private def check[A](
      kind: Kind[A],
      c: (Vector[Option[A]], Seq[(Walk, Vector[Option[A]])]),
      evicts: Boolean
  ): Assertion = {
    val (junk, partitions) = c
    val memory = new CountingMemory
    val column = new Held(kind, memory, junk)
    def listed(present: Option[Column]): ListedRows =
      if (evicts) new SlidingList(memory, column.column, present)
      else new RunningList(column.column, present)
    val all = listed(None)
    val some = listed(Some(column.column))
    partitions.foreach { case (walk, values) =>
      Walk.foreach(walk, Seq(column), new ExtremeSuite.Both(all, some), evicts) { p =>
        column.append(values(p))
      } { rows =>
        compare(kind, all, rows.map(values))
        compare(kind, some, rows.map(values).filter(_.isDefined))
      }
    }
    all.close()
    some.close()
    column.column.close()
    assert(memory.held === 0L)
  }

  private def compare[A](kind: Kind[A], list: ListedRows, expected: Seq[Option[A]]): Unit = {
    assert(list.size === expected.size)
    expected.zipWithIndex.foreach { case (value, i) =>
      assert(ColumnSuite.same(kind.read(list.values, list.position(i)), value))
    }
  }

  test("a value whose memory was rejected can be entered again, and is present once") {
    (1 to 12).foreach { refused =>
      val memory = new CountingMemory(refused)
      var column: ObjectColumn = null
      CountingMemory.retrying { column = new ObjectColumn(memory, true, ListedRowsSuite.Sized) }
      val values = Vector.tabulate(40)(i => s"value $i")
      values.foreach(v => CountingMemory.retrying(column.append(v)))
      var list: RunningList = null
      CountingMemory.retrying { list = new RunningList(column, None) }
      values.indices.foreach(p => CountingMemory.retrying(list.enter(p.toLong, p + 1L)))
      assert(values.indices.map(i => list.values.asInstanceOf[ObjectColumn](i.toLong)) === values)
    }
  }

  test("rows do not leave a growing frame") {
    val list = new RunningList(new LongColumn(Memory.Unlimited, false), None)
    assertThrows[UnsupportedOperationException](list.leave(0, 1))
  }
}

object ListedRowsSuite {
  def partitions[A](
      kind: Kind[A],
      walk: Gen[Walk]
  ): Gen[(Vector[Option[A]], Seq[(Walk, Vector[Option[A]])])] = for {
    junk <- kind.junk
    partition = walk.flatMap(w => kind.values(Gen.const(w.rows)).map(w -> _))
    partitions <- Gen.listOfN(2, partition)
  } yield (junk, partitions)

  /** Each value requests memory. */
  private object Sized extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int = 0
    override def hash(value: AnyRef): Int = value.hashCode
    override def sizeOf(value: AnyRef): Long = 1L << 16
  }
}

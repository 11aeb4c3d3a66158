package io.muntin.kernel.distinct

import io.muntin.kernel.{Kind, Scatter}
import io.muntin.kernel.MuntinSuite

class FirstOfValuesSuite extends MuntinSuite {
  for (kind <- Seq(Kind.longs, Kind.doubles, Kind.strings); skipsNulls <- Seq(true, false))
    register(kind, skipsNulls)

  test("numbers that do not fit next to their slot are rejected") {
    val most = (1L << 34) - 1
    assert(FirstOfValues.packed(most, 7) > FirstOfValues.packed(most - 1, (1 << 29) - 1))
    val message = intercept[ArithmeticException](FirstOfValues.packed(most + 1, 7)).getMessage
    assert(message.contains((most + 1).toString))
    intercept[ArithmeticException](FirstOfValues.packed(0L, 1 << 29))
  }

  private def register[A](kind: Kind[A], skipsNulls: Boolean): Unit =
    test(
      s"${kind.name}, nulls ${if (skipsNulls) "skipped" else "as values"}: first rows in order"
    ) {
      var firsts: FirstOfValues = null
      Scatter.foreach(kind) { (run, memory) =>
        val tally =
          new Tally(memory, Array(run.column), None, skipsNulls, evicts = true, anyOrder = true)
        firsts = new FirstOfValues(memory, tally, run.slots)
        tally
      } { (tally, run, there, values) =>
        val counted = there.filter(row => !skipsNulls || values(row).isDefined)
        val wanted = counted.zipWithIndex.collect {
          case (row, i) if !counted.take(i).exists(o => same(kind, values(o), values(row))) => row
        }
        firsts.refresh()
        assert(firsts.size === wanted.size)
        assert(wanted.indices.map(i => run.slots.number(firsts(i).toInt)) === wanted.map(_.toLong))
        wanted.foreach { row =>
          val slot = wanted.indices.map(firsts(_)).find(s => run.slots.number(s.toInt) == row).get
          assert(firsts.first(tally.codeOf(slot)) === slot)
        }
      }
    }

  private def same[A](kind: Kind[A], a: Option[A], b: Option[A]): Boolean =
    a.isDefined == b.isDefined && a.zip(b).forall { case (x, y) => kind.order.equiv(x, y) }
}

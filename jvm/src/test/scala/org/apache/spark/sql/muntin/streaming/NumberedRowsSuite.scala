package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite

/** Against a list: what comes, goes, is taken over and read again. */
final class NumberedRowsSuite extends MuntinSuite {
  private val positions = new RowsOfPositions
  import positions.{form, row}

  private def read(rows: NumberedRows, from: Int): Seq[Long] = {
    val out = new StateOutput
    rows.write(from, rows.size, out)
    out.writeLong(77L)
    val in = new StateInput(out.copy)
    val found = mutable.ArrayBuffer.empty[Long]
    rows.read(
      in,
      (position, got) => {
        assert(got == row(position))
        found += position
      }
    )
    assert(in.readLong() === 77L)
    found.toSeq
  }

  for (seed <- 1 to 20)
    test(s"rows that come and go, $seed") {
      val random = new Random(seed.toLong)
      var rows = new NumberedRows(form)
      var wanted = Vector.empty[Long]
      var next = if (seed % 2 == 0) 0L else 1L << 40
      def come(into: NumberedRows): Vector[Long] =
        Vector.fill(random.nextInt(150)) {
          next += 1 + (if (random.nextInt(9) == 0) random.nextInt(1 << 20) else 0)
          into.add(next, row(next))
          next
        }
      (0 until 30).foreach { _ =>
        random.nextInt(5) match {
          case 0 =>
            val there = wanted.filter(_ => random.nextInt(3) == 0)
            // Also some that are not here.
            val others = (wanted.map(_ + 1L) ++ Seq(-3L, 5L, next + 1L)).filterNot(wanted.contains)
            rows.retain((there ++ others).distinct.sorted.toArray)
            wanted = there
          case 1 =>
            val dropped = if (wanted.isEmpty) 0 else random.nextInt(wanted.size + 1)
            rows.dropFirst(dropped)
            wanted = wanted.drop(dropped)
          case 2 =>
            val later = new NumberedRows(form)
            wanted = wanted ++ come(later)
            rows.addAll(later)
          case 3 if random.nextInt(4) == 0 =>
            rows.clear()
            wanted = Vector.empty
          case _ => wanted = wanted ++ come(rows)
        }
        assert(rows.size === wanted.size)
        assert(wanted.indices.map(rows.position) === wanted)
        val from = if (wanted.isEmpty) 0 else random.nextInt(wanted.size + 1)
        assert(read(rows, from) === wanted.drop(from))
      }
      rows = new NumberedRows(form)
      assert(read(rows, 0) === Nil)
    }

  test("a position takes a byte where none is left out") {
    val (rows, out, plain) = (new NumberedRows(form), new StateOutput, new StateOutput)
    (1L to 100L).foreach { p =>
      rows.add(p, row(p))
      form.write(row(p), plain)
    }
    rows.write(0, 100, out)
    assert(out.length === plain.length + 100 + 4)
  }
}

package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.CountingMemory
import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

class KeyTableSuite extends MuntinSuite {
  private val ofLongs: (Seq[DataType], Int => Seq[Any]) =
    (Seq(LongType, IntegerType), i => Seq(if (i % 5 == 0) null else i.toLong * 3, i % 4))

  private val ofStrings: (Seq[DataType], Int => Seq[Any]) =
    (Seq(StringType, LongType), i => Seq(UTF8String.fromString("x" * (i % 31) + i / 3), i % 2L))

  Seq("of one size" -> ofLongs, "of any size" -> ofStrings).foreach {
    case (name, (types, values)) =>
      test(s"keys $name are numbered in the order of their first occurrence") {
        val memory = new CountingMemory
        val table = new KeyTable(types, memory)
        val random = new scala.util.Random(3)
        val projection = UnsafeProjection.create(types.toArray)
        def key(i: Int) = projection(new GenericInternalRow(values(i).toArray))
        (1 to 3).foreach { round =>
          table.clear()
          var known = Map.empty[Seq[Any], Int]
          (0 until 4000 * round).foreach { _ =>
            val i = random.nextInt(3000)
            val number = known.getOrElse(values(i), known.size)
            known = known.updated(values(i), number)
            assert(table.number(key(i)) === number)
          }
          assert(table.size === known.size)
          known.foreach { case (v, number) =>
            assert(table(number) === projection(new GenericInternalRow(v.toArray)))
          }
        }
        assert(memory.held > 0L)
      }

      test(s"lookups of keys $name return equal numbers") {
        val (table, asked) =
          (new KeyTable(types, new CountingMemory), new KeyTable(types, new CountingMemory))
        val random = new scala.util.Random(5)
        val projection = UnsafeProjection.create(types.toArray)
        val numbers = new Array[Int](KeyTable.Batch + 1)
        (1 to 200).foreach { round =>
          if (round % 90 == 0) {
            table.clear()
            asked.clear()
          }
          val some = Seq.fill(random.nextInt(KeyTable.Batch + 1))(random.nextInt(3000))
            .map(i => projection(new GenericInternalRow(values(i).toArray)).copy())
          some.foreach(asked.queue)
          assert(asked.queued === some.size)
          asked.writeNumbers(numbers, 1)
          assert(asked.queued === 0)
          if (asked.isOfOneSize) {
            val words = some.flatMap { key =>
              (0 until key.getSizeInBytes / 8)
                .map(i => Platform.getLong(key.getBaseObject, key.getBaseOffset + 8L * i))
            }
            val fromWords = new Array[Int](KeyTable.Batch + 1)
            asked.writeNumbers((-1L +: words).toArray, 1, some.size, fromWords, 1)
            assert(fromWords.tail.take(some.size) === numbers.tail.take(some.size))
          }
          assert(numbers.slice(1, 1 + some.size).toSeq === some.map(table.number))
          (0 until table.size).foreach(i => assert(asked(i) === table(i)))
        }
      }
  }
}

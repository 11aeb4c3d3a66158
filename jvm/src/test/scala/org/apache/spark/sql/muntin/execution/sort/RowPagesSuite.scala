package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.SampledTests
import org.apache.spark.SparkConf
import org.apache.spark.memory.{MemoryMode, TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.muntin.execution.rows.RowBatch
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

class RowPagesSuite extends SampledTests {
  private val types = Seq(LongType, IntegerType)

  private def rowOf(values: Any*): UnsafeRow =
    UnsafeProjection
      .create(values.map(_ => LongType: DataType).toArray)
      .apply(new GenericInternalRow(values.toArray))

  test("a row of another size than its schema is rejected, and no row is overwritten") {
    val manager = UnifiedMemoryManager(new SparkConf(), 1)
    val task = new TaskMemoryManager(manager, 0L)
    val pages = new RowPages(types, new SortMemory(task, MemoryMode.ON_HEAP, _ => 0L))
    val address = pages.add(rowOf(1L, 2L))
    val message = intercept[IllegalStateException](pages.add(rowOf(1L, 2L, 3L))).getMessage
    assert(message.contains("32 bytes") && message.contains("BIGINT, INT have 24"))
    assert(pages.sizeOf(address) === 24)
    assert(pages.sizeOf(pages.add(rowOf(3L, 4L))) === 24)
    pages.free()
    assert(task.cleanUpAllAllocatedMemory() === 0L)
  }

  sampledTest("rows of a bucket are close to each other, and no row is overwritten") {
    val manager = UnifiedMemoryManager(new SparkConf(), 1)
    val task = new TaskMemoryManager(manager, 0L)
    val memory = new SortMemory(task, MemoryMode.ON_HEAP, _ => 0L)
    for (strings <- Seq(false, true)) {
      val row = UnsafeProjection.create(Array[DataType](LongType, StringType))
      val pages = new RowPages(if (strings) Seq(LongType, StringType) else types, memory, 8)
      def rowAt(i: Int): UnsafeRow =
        if (!strings) rowOf(i.toLong, -i.toLong)
        else {
          val text = UTF8String.fromString("x" * (i % 50) + (if (i == 777) "y" * 40000 else ""))
          row(new GenericInternalRow(Array[Any](i.toLong, text)))
        }
      // A bucket's rows arrive one by one, between rows of other buckets.
      val addresses = (0 until 20000).map(i => pages.add(rowAt(i), i * 31 % 7 + i % 2))
      val found = new UnsafeRow(2)
      addresses.zipWithIndex.foreach { case (address, i) =>
        val size = pages.sizeOf(address)
        found.pointTo(pages.baseOf(address), pages.offsetOf(address), size)
        assert(found === rowAt(i))
      }
      if (!strings) {
        val places = addresses.indices.filter(i => i * 31 % 7 + i % 2 == 3).map(addresses(_))
        val near = places.zip(places.tail).count { case (a, b) => b - a == 3 }
        assert(near > 0.99 * places.size)
      }
      pages.free()
    }
    assert(task.cleanUpAllAllocatedMemory() === 0L)
  }

  test("rows of any types are copied unchanged, with room after their columns") {
    val manager = UnifiedMemoryManager(new SparkConf(), 1)
    val task = new TaskMemoryManager(manager, 0L)
    val memory = new SortMemory(task, MemoryMode.ON_HEAP, _ => 0L)
    val some: Seq[DataType] =
      Seq(LongType, StringType, DecimalType(38, 2), CalendarIntervalType, ByteType) ++
        Seq(ArrayType(IntegerType), StringType)
    val fixed: Seq[DataType] = Seq(LongType, ByteType)
    for (types <- Seq(some, some.reverse, fixed, Nil, some ++ Seq.fill(70)(LongType))) {
      val project = UnsafeProjection.create(types.toArray)
      val rows = Vector.tabulate(600)(i => project(values(types, i)).copy())
      val pages = new RowPages(types, memory)
      val addresses = rows.map(pages.add(_)).toArray
      for (fields <- Seq(1, 3, 61, 130, 0)) {
        pages.reserveFields(fields)
        val batch = new RowBatch
        val found = new UnsafeRow(types.size + fields)
        var next = 0
        while (next < rows.size) {
          val from = next
          next = pages.copy(addresses, from, rows.size, batch)
          (from until next).foreach { i =>
            batch.advance(found)
            val size = found.getSizeInBytes
            assert(project(found) === rows(i), s"$fields fields behind ${types.size}")
            assert(fields > 0 || found === rows(i))
            assert((types.size until found.numFields).forall(!found.isNullAt(_)))
            assert(size % 8 === 0)
          }
        }
      }
      pages.free()
    }
    assert(task.cleanUpAllAllocatedMemory() === 0L)
  }

  private def values(types: Seq[DataType], i: Int): InternalRow =
    new GenericInternalRow(types.zipWithIndex.map[Any] {
      case (_, c) if (i + c) % 4 == 0 => null
      case (LongType, c) => i.toLong * c
      case (ByteType, _) => i.toByte
      case (StringType, c) => UTF8String.fromString("x" * (i * c % 23))
      case (d: DecimalType, _) =>
        Decimal(BigDecimal(BigInt(i).pow(9), d.scale), d.precision, d.scale)
      case (CalendarIntervalType, c) => new CalendarInterval(i, c, i.toLong)
      case (other, _) =>
        assert(other.isInstanceOf[ArrayType])
        new GenericArrayData(Array.tabulate[Any](i % 5)(identity))
    }.toArray)
}

package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.ByTurns
import org.apache.spark.SparkConf
import org.apache.spark.memory.{MemoryMode, TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class RowPagesSuite extends ByTurns {
  private val types = Seq(LongType, IntegerType)

  private def rowOf(values: Any*): UnsafeRow =
    UnsafeProjection
      .create(values.map(_ => LongType: DataType).toArray)
      .apply(new GenericInternalRow(values.toArray))

  test("a row that is not of the size of its schema is refused, and nothing is overwritten") {
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

  testByTurns("rows of a bucket lie close to each other, and none is overwritten") {
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
      // A bucket's rows come one by one, between those of others.
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
}

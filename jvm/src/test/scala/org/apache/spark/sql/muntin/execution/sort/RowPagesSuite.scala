package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.SparkConf
import org.apache.spark.memory.{MemoryMode, TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class RowPagesSuite extends AnyFunSuite {
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
}

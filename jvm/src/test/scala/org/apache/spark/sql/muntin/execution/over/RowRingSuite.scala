package org.apache.spark.sql.muntin.execution.over

import scala.collection.mutable

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.muntin.execution.rows.TaskMemory
import org.apache.spark.SparkConf
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** A ring of rows is a queue of rows of any sizes, until it is full. */
class RowRingSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  private def memory(bytes: Long): TaskMemory = new TaskMemory(
    new TaskMemoryManager(
      new UnifiedMemoryManager(
        new SparkConf().set("spark.memory.offHeap.enabled", "false"),
        bytes,
        0L,
        1
      ),
      0L
    )
  )

  private val project = UnsafeProjection.create(Array[DataType](LongType, StringType))

  private def row(id: Long, width: Int): UnsafeRow =
    project(InternalRow(id, UTF8String.fromString("x" * width)))

  // A positive number adds a row of that width, zero removes a row.
  private val steps = Gen.listOf(
    Gen.frequency(5 -> Gen.const(0), 4 -> Gen.choose(1, 40), 2 -> Gen.choose(1, 3000))
  )

  private def check(steps: Seq[Int], memory: TaskMemory): Assertion = {
    val ring = new RowRing(memory, 2)
    val expected = mutable.Queue.empty[(Long, Int)]
    def take(): Assertion = {
      val (id, width) = expected.dequeue()
      val out = ring.remove()
      assert(out.getLong(0) === id)
      assert(out.getUTF8String(1).numBytes === width)
    }
    steps.zipWithIndex.foreach { case (width, id) =>
      if (width == 0) { if (expected.nonEmpty) take() }
      else if (ring.add(row(id.toLong, width))) expected.enqueue(id.toLong -> width)
      assert(ring.isEmpty === expected.isEmpty)
    }
    while (expected.nonEmpty) take()
    assert(memory.getUsed <= RowRing.MaxBytes)
  }

  test("rows of all sizes are read in order, through growth and wrapping") {
    forAll(steps, minSuccessful(300), sizeRange(400))(check(_, memory(64L << 20)))
  }

  test("if memory is rejected, it accepts the rows that fit and continues") {
    forAll(steps, minSuccessful(300), sizeRange(400))(check(_, memory(20_000L)))
  }

  test("it rejects a row beyond its size, and works without any memory") {
    val full = new RowRing(memory(64L << 20), 2)
    var taken = 0L
    while (full.add(row(taken, 1000))) taken += 1
    assert(taken > 900L && taken * 1000L < RowRing.MaxBytes)
    assert(!new RowRing(memory(1L), 2).add(row(0L, 1)))
  }
}

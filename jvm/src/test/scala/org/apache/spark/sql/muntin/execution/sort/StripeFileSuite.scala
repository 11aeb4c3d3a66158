package org.apache.spark.sql.muntin.execution.sort

import java.io.UncheckedIOException
import java.nio.file.Files

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.muntin.{RandomTable, SmallTask}
import org.apache.spark.sql.muntin.execution.exchange.{Layout, StripeBatches}
import org.apache.spark.sql.types.DataType

class StripeFileSuite extends SmallTask {
  private lazy val (types, rows): (Seq[DataType], Vector[UnsafeRow]) = {
    RandomTable.create(spark, "t", rows = 6_000, seed = 3)
    val made = spark.sql("SELECT *, repeat(s, pmod(id, 90)) AS long FROM t")
    val found = made.queryExecution.executedPlan.executeCollect()
    (made.schema.map(_.dataType), found.map(_.asInstanceOf[UnsafeRow]).toVector)
  }

  private lazy val layout = new Layout(types)

  private def files: Set[String] = taskFiles.map(_.getName).toSet

  private def read(file: StripeFile, reserved: Int = 0): Iterator[UnsafeRow] =
    new SortedReader(new StripeBatches(layout, file.read(), reserved), types.size + reserved)

  private def written(): StripeFile = {
    val file = new StripeFile(layout)
    rows.foreach(file.write)
    file.finish()
    file
  }

  test("rows of every type are read back in their order, any number of times") {
    val before = files
    val file = written()
    assert(file.read().size > 3)
    assert(file.bytes > 0L && file.bytes < rows.map(_.getSizeInBytes.toLong).sum)
    for (_ <- 1 to 2) {
      val found = read(file)
      rows.foreach(row => assert(found.next() === row))
      assert(!found.hasNext)
    }
    file.delete()
    assert(files === before)
  }

  test("rows with reserved fields have equal values before these fields, and no nulls in them") {
    val file = written()
    val found = read(file, reserved = 60)
    val withoutReserved = UnsafeProjection.create(types.toArray)
    rows.foreach { row =>
      val next = found.next()
      assert(next.numFields === types.size + 60)
      assert(withoutReserved(next) === row)
      assert((types.size until next.numFields).forall(!next.isNullAt(_)))
    }
    file.delete()
  }

  test("rows without columns, and no rows") {
    val none = new Layout(Nil)
    for (count <- Seq(0, 20_000)) {
      val file = new StripeFile(none)
      (1 to count).foreach(_ => file.write(new UnsafeRow(0)))
      file.finish()
      assert(new SortedReader(new StripeBatches(none, file.read()), 0).size === count)
      file.delete()
    }
  }

  test("a file that is not finished, or not read to its end, is deleted on release") {
    val before = files
    val file = written()
    read(file).take(10).foreach(_ => ())
    file.delete()
    val half = new StripeFile(layout)
    rows.foreach(half.write)
    half.delete()
    assert(files === before)
  }

  test("a full disk is an error that names the folder, and no file remains") {
    val directory = Files.createTempDirectory("full")
    val file = new StripeFile(layout, fullDisk(directory)())
    val error = intercept[UncheckedIOException] {
      (1 to 100).foreach(_ => rows.foreach(file.write))
      file.finish()
    }
    assert(error.getMessage.contains("could not be spilled to"))
    assert(error.getMessage.contains("Set spark.local.dir to disks with enough free space"))
    file.delete()
    assert(directory.toFile.list().isEmpty)
    Files.delete(directory)
  }
}

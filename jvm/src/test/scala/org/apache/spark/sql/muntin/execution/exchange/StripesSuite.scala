package org.apache.spark.sql.muntin.execution.exchange

import java.util.Properties

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.{SparkConf, TaskContext, TaskContextImpl}
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, SinglePartition}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.muntin.execution.rows.RowBatch
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

/**
 * Rows are read back from stripes byte by byte: rows and column batches, of every type, through the
 * serializer, in each partition in their order of arrival.
 */
class StripesSuite extends MuntinSuite {
  private type Draw = Random => Any

  private val nested = new StructType().add("a", IntegerType).add("b", StringType)

  private val columns: Seq[(DataType, Draw)] = Seq(
    BooleanType -> (_.nextBoolean()),
    ByteType -> (_.nextInt().toByte),
    ShortType -> (_.nextInt().toShort),
    IntegerType -> (_.nextInt()),
    LongType -> (_.nextLong()),
    FloatType -> (r => if (r.nextInt(9) == 0) Float.NaN else -r.nextFloat()),
    DoubleType -> (r => Seq(-0.0, Double.NaN, 1e300, r.nextDouble())(r.nextInt(4))),
    DateType -> (_.nextInt(99999)),
    TimestampType -> (_.nextLong()),
    TimestampNTZType -> (_.nextLong()),
    DayTimeIntervalType() -> (_.nextLong()),
    YearMonthIntervalType() -> (_.nextInt()),
    DecimalType(9, 2) -> (r => Decimal(r.nextInt(99999).toLong, 9, 2)),
    DecimalType(18, 4) -> (r => Decimal(r.nextInt().toLong * 999, 18, 4)),
    DecimalType(38, 10) -> (r => Decimal(BigDecimal(BigInt(120, r), 10), 38, 10)),
    StringType -> (r => UTF8String.fromString(r.alphanumeric.take(r.nextInt(20)).mkString)),
    BinaryType -> { r =>
      val bytes = new Array[Byte](r.nextInt(17))
      r.nextBytes(bytes)
      bytes
    },
    CalendarIntervalType -> (r => new CalendarInterval(r.nextInt(), r.nextInt(), r.nextLong())),
    NullType -> (_ => null),
    ArrayType(IntegerType) -> { r =>
      new GenericArrayData(Array.fill[Any](r.nextInt(4))(7))
    },
    nested -> (r => InternalRow(r.nextInt(), UTF8String.fromString("x" * r.nextInt(9)))),
    // Each of few values is written once.
    StringType -> (r => UTF8String.fromString(s"the city of ${Seq("Rome", "Bonn")(r.nextInt(2))}"))
  )

  private val types = columns.map(_._1)

  private def attributes(types: Seq[DataType]): Seq[AttributeReference] =
    types.zipWithIndex.map { case (t, i) => AttributeReference(s"c$i", t)() }

  private def rows(types: Seq[DataType], draws: Seq[Draw], n: Int, seed: Int): Seq[UnsafeRow] = {
    val random = new Random(seed)
    val project = UnsafeProjection.create(types.toArray)
    Vector.fill(n) {
      val values = draws.map(draw => if (random.nextInt(5) == 0) null else draw(random))
      project(new GenericInternalRow(values.toArray[Any])).copy()
    }
  }

  /** Runs in a task with this much memory, and returns the bytes that the task had not released. */
  private def inTask(bytes: Long)(body: => Unit): Long = {
    val conf = new SparkConf(false)
    val memory = new UnifiedMemoryManager(conf, bytes, 0L, 1)
    val manager = new TaskMemoryManager(memory, 0L)
    val context =
      new TaskContextImpl(
        0,
        0,
        0,
        0L,
        0,
        1,
        manager,
        new Properties,
        null,
        TaskMetrics.empty,
        1
      )
    TaskContext.setTaskContext(context)
    try body
    finally {
      context.markTaskCompleted(None)
      TaskContext.unset()
    }
    manager.cleanUpAllAllocatedMemory()
  }

  /** The stripes, written and read. */
  private def throughBytes(layout: Layout, stripes: Iterator[Stripe]): Seq[Stripe] =
    StripeBytes.read(layout, StripeBytes.write(layout, stripes))

  private def check(
      types: Seq[DataType],
      rows: Seq[UnsafeRow],
      partitionOf: InternalRow => Int,
      memory: Long = 64L << 20
  )(make: Layout => Iterator[(Int, Stripe)]): Int = {
    val layout = new Layout(types)
    var largest = 0
    val held = inTask(memory) {
      val stripes = make(layout).toVector
      // A task that reads many mappers creates stripes many times.
      assert(TaskContext.get().taskMemoryManager().getMemoryConsumptionForThisTask === 0L)
      assert(stripes.forall(_._2.rows > 0))
      largest = stripes.map(_._2.rows).foldLeft(0)(math.max)
      val expected = rows.groupBy(partitionOf)
      assert(stripes.map(_._1).toSet === expected.keySet)
      stripes.groupBy(_._1).foreach { case (partition, ofOne) =>
        val read = StripeRows.of(layout, throughBytes(layout, ofOne.map(_._2).iterator).iterator)
        expected(partition).foreach { row =>
          assert(read.hasNext)
          assert(read.next() === row)
        }
        assert(!read.hasNext)
      }
    }
    assert(held === 0L)
    largest
  }

  private def partitioning(input: Seq[Attribute], keys: Seq[Int], n: Int) =
    HashPartitioning(keys.map(input), n)

  for (partitions <- Seq(1, 7, 1000))
    test(s"rows of every type into $partitions partitions") {
      val input = attributes(types)
      val hash = partitioning(input, Seq(3, 15), partitions)
      val made = rows(types, columns.map(_._2), 3000, partitions)
      def of = PartitionIds.ofRows(hash, input)
      check(types, made, of) { layout =>
        new StripesOfRows(made.iterator, layout, partitions, of)
      }
    }

  for (partitions <- Seq(1, 7, 300))
    test(s"stripes of every type, dealt again into $partitions partitions") {
      val made = rows(types, columns.map(_._2), 3000, partitions)
      // Rows no longer have their numbers, so the partitions are the values of a column.
      def of(row: InternalRow) =
        if (row.isNullAt(4)) 0 else Math.floorMod(row.getLong(4), partitions.toLong).toInt
      check(types, made, of) { layout =>
        val whole = made.grouped(900).flatMap { some =>
          new StripesOfRows(some.iterator, layout, 1, _ => 0).map(_._2)
        }.toVector
        assert(whole.size > 3)
        new StripesOfStripes(
          whole.iterator,
          layout,
          partitions,
          (stripe, to) =>
            StripeRows.of(layout, Iterator(stripe)).map(of).zipWithIndex
              .foreach { case (partition, i) => to(i) = partition }
        )
      }
    }

  test("values of varying size that take no bytes, or take some in few rows only") {
    val some: Seq[DataType] = Seq(LongType, StringType, BinaryType, StringType, DoubleType)
    val empty = UTF8String.fromString("")
    for (few <- Seq(0, 1); seed <- 1 to 4) {
      val draws: Seq[Draw] = Seq(
        _.nextLong(),
        _ => null,
        r => if (r.nextBoolean()) null else new Array[Byte](0),
        r => if (r.nextInt(1000) < few) UTF8String.fromString("long enough") else empty,
        _.nextDouble()
      )
      val made = rows(some, draws, 3000, seed)
      check(some, made, _ => 0)(layout => new StripesOfRows(made.iterator, layout, 1, _ => 0))
      // The rows of several stripes; only some stripes have such values.
      val layout = new Layout(some)
      inTask(64L << 20) {
        val stripes = made.grouped(500).flatMap { part =>
          new StripesOfRows(part.iterator, layout, 1, _ => 0).map(_._2)
        }.toVector
        val gathered = new StripeRows(layout)
        stripes.foreach(gathered.add)
        val addresses = stripes.zipWithIndex.flatMap { case (stripe, i) =>
          (0 until stripe.rows).map(i << Stripe.RowBits | _)
        }.toArray
        val batch = new RowBatch
        val row = new UnsafeRow(some.size)
        var next = 0
        while (next < made.size) {
          val from = next
          next = gathered.copy(addresses, from, made.size, batch)
          (from until next).foreach { i =>
            assert(batch.hasNext)
            batch.advance(row)
            assert(row === made(i))
          }
        }
      }: Unit
    }
  }

  test("each type separately, with and without nulls, and no columns") {
    for (((dataType, draw), seed) <- columns.zipWithIndex; nulls <- Seq(true, false)) {
      val made = if (nulls) rows(Seq(dataType), Seq(draw), 700, seed)
      else {
        val project = UnsafeProjection.create(Array(dataType))
        val random = new Random(seed)
        Vector.fill(700)(project(InternalRow(draw(random))).copy())
      }
      check(Seq(dataType), made, _ => 0)(new StripesOfRows(made.iterator, _, 1, _ => 0))
    }
    val none = rows(Nil, Nil, 20_000, 1)
    val largest = check(Nil, none, _ => 0)(new StripesOfRows(none.iterator, _, 1, _ => 0))
    assert(largest > 1000)
  }

  /** Types that a test can write to a column vector, with their values. */
  private val inVectors = types.filter {
    case ByteType | ShortType | FloatType | BooleanType | IntegerType | LongType | DoubleType =>
      true
    case DateType | TimestampType | TimestampNTZType | _: DecimalType | StringType => true
    case BinaryType | _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }

  private def batches(types: Seq[DataType], rows: Seq[UnsafeRow], sizes: Iterator[Int]) = {
    val all = rows.iterator
    new Iterator[ColumnarBatch] {
      override def hasNext: Boolean = all.hasNext
      override def next(): ColumnarBatch = {
        val some = Vector.fill(sizes.next())(all.nextOption()).flatten
        val vectors = types.map(t => new OnHeapColumnVector(math.max(1, some.size), t)).toArray
        some.zipWithIndex.foreach { case (row, i) =>
          types.indices.foreach(c => put(vectors(c), i, row, c, types(c)))
        }
        new ColumnarBatch(vectors.map(v => v: ColumnVector), some.size)
      }
    }
  }

  private def put(v: OnHeapColumnVector, i: Int, row: UnsafeRow, c: Int, dataType: DataType): Unit =
    if (row.isNullAt(c)) v.putNull(i)
    else {
      dataType match {
        case BooleanType => v.putBoolean(i, row.getBoolean(c))
        case ByteType => v.putByte(i, row.getByte(c))
        case ShortType => v.putShort(i, row.getShort(c))
        case IntegerType | DateType | _: YearMonthIntervalType => v.putInt(i, row.getInt(c))
        case FloatType => v.putFloat(i, row.getFloat(c))
        case DoubleType => v.putDouble(i, row.getDouble(c))
        case StringType => v.putByteArray(i, row.getUTF8String(c).getBytes): Unit
        case BinaryType => v.putByteArray(i, row.getBinary(c)): Unit
        case d: DecimalType =>
          v.putDecimal(i, row.getDecimal(c, d.precision, d.scale), d.precision)
        case _ => v.putLong(i, row.getLong(c))
      }
    }

  for (
    keys <- Seq(Seq(3), Seq(4, 15), Seq(0, 1, 2, 7, 8, 9), Seq(5, 6), Seq(12, 14, 16), Seq(10, 11))
  )
    test(s"column batches, by the hash of columns ${keys.mkString(", ")}: Spark's own partitions") {
      val input = attributes(inVectors)
      val draws = inVectors.map(t => columns.find(_._1 == t).get._2)
      val random = new Random(keys.head)
      for (partitions <- Seq(1, 5, 400)) {
        val hash = partitioning(input, keys, partitions)
        val made = rows(inVectors, draws, 2000, partitions)
        check(inVectors, made, PartitionIds.ofRows(hash, input)) { layout =>
          new StripesOfBatches(
            batches(inVectors, made, Iterator.continually(random.nextInt(3) * 333)),
            inVectors,
            layout,
            partitions,
            PartitionIds.ofBatches(hash, input)
          )
        }
      }
    }

  test("many rows: stripes are full, and not larger than allowed") {
    val two = Seq[DataType](IntegerType, LongType)
    val draws = Seq[Draw](_.nextInt(), _.nextLong())
    val made = rows(two, draws, 50_000, 3)
    val input = attributes(two)
    val hash = partitioning(input, Seq(0), 2)
    for (size <- Seq(4096, 20_000)) {
      val largest = check(two, made, PartitionIds.ofRows(hash, input)) { layout =>
        new StripesOfBatches(
          batches(two, made, Iterator.continually(size)),
          two,
          layout,
          2,
          PartitionIds.ofBatches(hash, input)
        )
      }
      assert(largest > 4000 && largest <= Stripe.MostRows)
    }
  }

  test("long values: few rows in a stripe; and with little memory, stripes are flushed early") {
    val one = Seq[DataType](StringType)
    val draws = Seq[Draw](r => UTF8String.fromString("y" * (1 << r.nextInt(19))))
    val made = rows(one, draws, 600, 3)
    for (memory <- Seq(64L << 20, 1L << 16)) {
      val batched = check(one, made, _ => 0, memory) { layout =>
        val all = batches(one, made, Iterator.continually(300))
        new StripesOfBatches(all, one, layout, 1, PartitionIds.ofBatches(SinglePartition, Nil))
      }
      assert(batched > 0)
      check(one, made, _ => 0, memory)(new StripesOfRows(made.iterator, _, 1, _ => 0)): Unit
    }
    val ints = rows(Seq(IntegerType), Seq[Draw](_.nextInt()), 9000, 3)
    val early = check(Seq(IntegerType), ints, _ => 0, 1L << 16) { layout =>
      new StripesOfRows(ints.iterator, layout, 1, _ => 0)
    }
    assert(early <= 1024)
  }

  test("a stream that ends early is an error") {
    val layout = new Layout(Seq(LongType))
    val made = rows(Seq(LongType), Seq[Draw](_.nextLong()), 50, 1)
    inTask(1L << 20) {
      val stripes = new StripesOfRows(made.iterator, layout, 1, _ => 0).map(_._2).toVector
      val bytes = StripeBytes.write(layout, stripes.iterator)
      for (length <- Seq(1, 4, 5, 100))
        intercept[java.io.EOFException](StripeBytes.read(layout, bytes.take(length)))
    }: Unit
  }
}

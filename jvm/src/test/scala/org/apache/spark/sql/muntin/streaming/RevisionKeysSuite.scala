package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.JsonText
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The texts equal the texts of the Spark JSON writer, for random rows. */
final class RevisionKeysSuite extends MuntinSuite {
  private val window = new StructType()
    .add("start", TimestampType)
    .add("end", TimestampType)
    .add("n", IntegerType)
  private val types = Seq(
    "b" -> BooleanType,
    "y" -> ByteType,
    "s" -> ShortType,
    "i" -> IntegerType,
    "l" -> LongType,
    "day" -> DateType,
    "at" -> TimestampType,
    "ntz" -> TimestampNTZType,
    "text" -> StringType,
    "validity" -> window
  )
  private val input: Seq[Attribute] = types.map { case (n, t) => AttributeReference(n, t)() }
  private val columns = input.map(a => a.name -> (a: Expression))

  private def micros(random: Random): Long = random.nextInt(6) match {
    case 0 => random.nextInt(5) - 2L
    case 1 => random.nextLong()
    case 2 => (random.nextInt(40000) - 20000) * 86400000000L + random.nextInt(3) - 1L
    case _ => 1356998400000000L + random.nextInt(Int.MaxValue) * 1000L + random.nextInt(1000)
  }

  private def text(random: Random): UTF8String = {
    val plain = Seq("", "a", "New York/JFK", "x'y&<>")
    val others = Seq("häuser", "\"", "\\", "a\nb", "\u007f", "\u2028", "\ud83d\ude00")
    UTF8String.fromString((plain ++ others)(random.nextInt(11)))
  }

  private def value(dataType: DataType, random: Random): Any =
    if (random.nextInt(8) == 0) null
    else
      dataType match {
        case BooleanType => random.nextBoolean()
        case ByteType => random.nextInt().toByte
        case ShortType => random.nextInt().toShort
        case IntegerType => random.nextInt()
        case LongType => if (random.nextInt(9) == 0) Long.MinValue else random.nextLong()
        case DateType => random.nextInt(4000000) - 1000000
        case TimestampType | TimestampNTZType => micros(random)
        case StringType => text(random)
        case struct: StructType => InternalRow(struct.map(f => value(f.dataType, random)): _*)
        case other => throw new IllegalArgumentException(other.sql)
      }

  private def compare(rows: Int, used: Seq[Int]): Int = {
    val random = new Random(used.hashCode.toLong)
    val named = used.map(columns)
    val keys = new RevisionKeys(named, input)
    val spark = UnsafeProjection.create(Seq(JsonText.key(named)), input)
    (0 until rows).count { _ =>
      val row = InternalRow(types.map { case (_, t) => value(t, random) }: _*)
      assert(keys.of(row).toString === spark(row).getUTF8String(0).toString)
      keys.written
    }
  }

  for (i <- types.indices)
    test(s"a key of ${types(i)._2.sql}") {
      assert(compare(500, Seq(i)) > 200)
    }

  test("a key of all types") {
    assert(compare(500, types.indices) > 20)
    assert(compare(10, Nil) === 10)
  }

  test("keys that Spark writes: other types, and names that are not plain") {
    val others = Seq(
      AttributeReference("d", DoubleType)() -> 1.5,
      AttributeReference("n", DecimalType(10, 2))() -> Decimal("7.50"),
      AttributeReference("say \"k\"", LongType)() -> 7L
    )
    others.foreach { case (a, v) =>
      val keys = new RevisionKeys(Seq(a.name -> a), Seq(a))
      val spark = UnsafeProjection.create(Seq(JsonText.key(Seq(a.name -> a))), Seq(a))
      val row = InternalRow(v)
      assert(keys.of(row).toString === spark(row).getUTF8String(0).toString)
      assert(!keys.written)
    }
  }
}

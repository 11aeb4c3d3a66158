package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._

/** Rows are read back bit for bit, for all types. */
final class CompactRowsSuite extends MuntinSuite {
  private val schema = StructType(Seq(
    StructField("b", BooleanType),
    StructField("y", ByteType),
    StructField("s", StringType),
    StructField("i", IntegerType),
    StructField("f", FloatType),
    StructField("d", DoubleType),
    StructField("narrow", DecimalType(10, 2)),
    StructField("wide", DecimalType(38, 4)),
    StructField("array", ArrayType(IntegerType)),
    StructField("day", DateType),
    StructField("short", ShortType)
  ))
  private val rowOf = ExpressionEncoder(schema).createSerializer()

  private def row(values: Any*): UnsafeRow = rowOf(Row(values: _*)).asInstanceOf[UnsafeRow].copy()

  private def decimal(text: String) = new java.math.BigDecimal(text)

  test("several consecutive rows") {
    val before = Seq(
      row(
        true,
        3.toByte,
        "häuser",
        -1,
        Float.NaN,
        -0.0,
        decimal("12.34"),
        decimal("99999999999999999999.5"),
        Seq(1, 2),
        java.sql.Date.valueOf("2024-02-29"),
        7.toShort
      ),
      row(Seq.fill(11)(null): _*),
      row(
        false,
        null,
        "",
        Int.MinValue,
        1.5f,
        Double.NegativeInfinity,
        null,
        decimal("-1.0001"),
        Seq(),
        null,
        Short.MinValue
      ),
      row(null, null, "x" * 5000, null, null, null, null, null, Seq.range(0, 400), null, null)
    )
    val rows = new CompactRows(schema.map(_.dataType))
    val out = new StateOutput
    before.foreach(rows.write(_, out))
    val in = new StateInput(out.copy)
    before.foreach(wanted => assert(shown(rows.read(in)) === shown(wanted)))
    assert(in.available() === 0)
    in.moveTo(0)
    before.foreach { wanted =>
      val from = in.at
      rows.skip(in)
      val until = in.at
      in.moveTo(from)
      assert(shown(rows.read(in)) === shown(wanted))
      assert(in.at === until)
    }
  }

  private def shown(row: UnsafeRow): Seq[String] =
    schema.zipWithIndex.map { case (f, i) => s"${row.get(i, f.dataType)}" }

  test("some columns of a row, read into a row with the other columns") {
    val columns = Array(10, 9, 6, 5, 4, 3, 1, 0)
    val rows = new CompactRows(columns.map(schema(_).dataType).toSeq, columns)
    val wide = decimal("1.5")
    def of(i: Int): UnsafeRow = {
      def or(value: Any) = if (i % 3 == 1) null else value
      row(
        or(i % 2 == 0),
        (-i).toByte,
        "häuser",
        or(i - 5),
        or(i / 3f),
        -1.0 / i,
        or(decimal(s"$i.25")),
        wide,
        Seq(1, 2),
        or(java.sql.Date.valueOf(s"2024-02-0${i + 1}")),
        or((i * 1000).toShort)
      )
    }
    val out = new StateOutput
    (0 until 9).foreach(i => rows.write(of(i), out))
    val in = new StateInput(out.copy)
    val target = of(7)
    (0 until 9).foreach { i =>
      assert(rows.isFixed(in))
      rows.readInto(in, target)
      assert(shown(target) === shown(of(i)))
      // No value of the previous row remains, not even in unused bytes.
      assert(target === of(i))
    }
    assert(in.available() === 0)
  }

  test("a row with null values of variable length is also read into another row") {
    val columns = Array(2, 3, 8)
    val rows = new CompactRows(columns.map(schema(_).dataType).toSeq, columns)
    def of(i: Int, text: String, array: Seq[Int]): UnsafeRow =
      row(true, 1.toByte, text, i, 1f, 1.0, decimal("1.25"), decimal("1.5"), array, null, 3.toShort)
    val before = Seq(of(1, null, null), of(2, "", null), of(3, null, Seq()), of(4, null, null))
    val out = new StateOutput
    before.foreach(rows.write(_, out))
    val in = new StateInput(out.copy)
    val target = of(7, null, null)
    assert(before.map { wanted =>
      val isFixed = rows.isFixed(in)
      if (isFixed) {
        rows.readInto(in, target)
        assert(target === wanted)
      } else rows.skip(in)
      isFixed
    } === Seq(true, false, false, true))
    assert(in.available() === 0)
  }

  test("the width is the width of the values") {
    val rows = new CompactRows(Seq(TimestampType, DoubleType))
    val out = new StateOutput
    val row = new UnsafeRow(2)
    row.pointTo(new Array[Byte](24), 24)
    rows.write(row, out)
    assert(out.length === 17)
  }

  test("the bytes equal the bytes in checkpoints") {
    val rows = new CompactRows(schema.map(_.dataType))
    val out = new StateOutput
    out.writeInt(5)
    val day = java.sql.Date.valueOf("2024-02-29")
    rows.write(row(true, null, "häuser", -2, 1.5f, -0.0, null, null, null, day, 7.toShort), out)
    val bytes = new java.io.ByteArrayOutputStream
    val wanted = new java.io.DataOutputStream(bytes)
    wanted.writeInt(5)
    wanted.writeByte(Integer.parseInt("11000010", 2))
    wanted.writeByte(Integer.parseInt("00000001", 2))
    wanted.writeByte(1)
    val text = "häuser".getBytes("UTF-8")
    wanted.writeInt(text.length)
    wanted.write(text)
    wanted.writeInt(-2)
    wanted.writeFloat(1.5f)
    wanted.writeDouble(-0.0)
    wanted.writeInt(day.toLocalDate.toEpochDay.toInt)
    wanted.writeShort(7)
    assert(out.copy.toSeq === bytes.toByteArray.toSeq)
  }
}

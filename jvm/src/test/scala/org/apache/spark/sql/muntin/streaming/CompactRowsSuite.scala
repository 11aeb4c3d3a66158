package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Rows come back bit for bit, whatever their types. */
final class CompactRowsSuite extends AnyFunSuite {
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

  test("several rows, one behind the other") {
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
    before.foreach { wanted =>
      val got = rows.read(in)
      val fields = schema.zipWithIndex
      assert(
        fields.map { case (f, i) => s"${got.get(i, f.dataType)}" } ===
          fields.map { case (f, i) => s"${wanted.get(i, f.dataType)}" }
      )
    }
    assert(in.available() === 0)
  }

  test("the width is that of the values") {
    val rows = new CompactRows(Seq(TimestampType, DoubleType))
    val out = new StateOutput
    val row = new UnsafeRow(2)
    row.pointTo(new Array[Byte](24), 24)
    rows.write(row, out)
    assert(out.length === 17)
  }
}

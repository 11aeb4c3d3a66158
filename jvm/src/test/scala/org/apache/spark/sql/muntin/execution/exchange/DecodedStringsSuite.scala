package org.apache.spark.sql.muntin.execution.exchange

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.execution.vectorized.{Dictionary, OnHeapColumnVector}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

class DecodedStringsSuite extends MuntinSuite {

  /** A dictionary that counts its lookups. */
  private final class Texts(prefix: String) extends Dictionary {
    var asked = 0
    override def decodeToInt(id: Int): Int = throw new UnsupportedOperationException
    override def decodeToLong(id: Int): Long = throw new UnsupportedOperationException
    override def decodeToFloat(id: Int): Float = throw new UnsupportedOperationException
    override def decodeToDouble(id: Int): Double = throw new UnsupportedOperationException
    override def decodeToBinary(id: Int): Array[Byte] = {
      asked += 1
      s"$prefix $id".getBytes
    }
  }

  private def coded(dictionary: Dictionary, ids: Seq[Int]): OnHeapColumnVector = {
    val vector = new OnHeapColumnVector(ids.size, StringType)
    vector.setDictionary(dictionary)
    val codes = vector.reserveDictionaryIds(ids.size)
    ids.zipWithIndex.foreach { case (id, row) => codes.putInt(row, id) }
    vector
  }

  private def strings(decoded: DecodedStrings, column: ColumnVector, rows: Int): Seq[String] = {
    decoded.begin(column)
    (0 until rows).map(decoded(_).toString)
  }

  private val ids = Seq(3, 5_000, 3, 0, 3, 2_047, 2_048, 0, 5_000, 2_047)

  test("each string of a small dictionary is decoded once for the rows of a batch") {
    val decoded = new DecodedStrings
    val (one, other) = (new Texts("one"), new Texts("other"))
    assert(strings(decoded, coded(one, ids), ids.size) == ids.map(id => s"one $id"))
    // 3, 0 and 2047 once, 2048 and 5000 twice for each row.
    assert(one.asked == 6)
    assert(strings(decoded, coded(other, ids), ids.size) == ids.map(id => s"other $id"))
  }

  test("rows that pass a filter, and columns without a dictionary") {
    val decoded = new DecodedStrings
    val texts = new Texts("one")
    val rows = Array(1, 2, 4, 8)
    val selected = new SelectedColumn(coded(texts, ids), rows, rows.length)
    assert(strings(decoded, selected, rows.length) == rows.toSeq.map(row => s"one ${ids(row)}"))
    assert(texts.asked == 3)
    val plain = new OnHeapColumnVector(ids.size, StringType)
    ids.zipWithIndex.foreach { case (id, row) => plain.putByteArray(row, s"$id".getBytes) }
    assert(strings(decoded, plain, ids.size) == ids.map(_.toString))
    val left = new SelectedColumn(plain, rows, rows.length)
    assert(strings(decoded, left, rows.length) == rows.toSeq.map(row => ids(row).toString))
    assert(decoded(0) == UTF8String.fromString("5000"))
  }
}

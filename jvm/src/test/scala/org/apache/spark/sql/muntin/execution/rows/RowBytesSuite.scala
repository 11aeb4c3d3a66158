package org.apache.spark.sql.muntin.execution.rows

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.unsafe.Platform

class RowBytesSuite extends MuntinSuite {
  test("bytes of any number at any place are copied, and no other byte") {
    val random = new Random(1)
    val from = new Array[Byte](400)
    random.nextBytes(from)
    val start = Platform.BYTE_ARRAY_OFFSET.toLong
    for (size <- 0 to 300; at <- 0 to 9) {
      val to = new Array[Byte](400)
      random.nextBytes(to)
      val expected = to.clone()
      System.arraycopy(from, 3 * at, expected, at, size)
      RowBytes.copy(from, start + 3L * at, to, start + at, size)
      assert(to.toSeq == expected.toSeq, s"$size bytes at $at")
    }
  }
}

package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.distinct.RunningHyperLogLog
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, XXH64}
import org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper
import org.apache.spark.sql.types.LongType

/** The estimate equals the estimate of the Spark helper for equal values, in all of its ranges. */
class EstimateSuite extends MuntinSuite {
  // From 4 bits to 20: with and without bias tables.
  (4 to 20).foreach { p =>
    test(s"$p bits, from no value to eight for each register") {
      val relativeSD = 1.106 / math.pow(2.0, (p - 0.5) / 2)
      assert(Estimate.precision(relativeSD) === p)
      val helper = new HyperLogLogPlusPlusHelper(relativeSD)
      val buffer = new GenericInternalRow(Array.fill[Any](helper.numWords)(0L))
      val hashes = new LongColumn(Memory.Unlimited, false)
      val registers = new RunningHyperLogLog(Memory.Unlimited, hashes, p)
      val estimate = new Estimate(relativeSD)
      val all = 8 << p
      // Spark reads each register for an estimate: a million at 20 bits.
      val step = math.max(1, all / (if (p < 17) 150 else 30))
      (0 to all).foreach { i =>
        if (i % step == 0) {
          assert(
            estimate(registers.inverseSum, registers.zeros) === helper.query(buffer, 0),
            s"after $i values"
          )
        }
        helper.update(buffer, 0, i.toLong, LongType)
        hashes.append(XXH64.hashLong(i.toLong, 42L))
        registers.enter(i.toLong, i + 1L)
      }
    }
  }
}

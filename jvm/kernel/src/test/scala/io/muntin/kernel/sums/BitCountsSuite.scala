package io.muntin.kernel.sums

import io.muntin.kernel.{Kind, Scatter}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn

class BitCountsSuite extends MuntinSuite {
  for (kind <- Seq(BitsSuite.bits, Kind.longs); and <- Seq(true, false))
    test(s"${kind.name}: the ${if (and) "and" else "or"} of the present non-null values") {
      Scatter.foreach(kind) { (run, _) =>
        new BitCounts(run.column.asInstanceOf[LongColumn], and, evicts = true)
      } { (bits, _, there, values) =>
        val present = there.flatMap(values(_))
        assert(bits.count === present.size)
        assert(bits.value === (if (and) present.fold(-1L)(_ & _) else present.fold(0L)(_ | _)))
      }
    }
}

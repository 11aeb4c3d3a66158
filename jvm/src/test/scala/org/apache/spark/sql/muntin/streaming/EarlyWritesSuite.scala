package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.MuntinSuite
import org.scalatest.Assertion

/** Groups are written before a batch ends, and no more often than the end requires. */
final class EarlyWritesSuite extends MuntinSuite {
  private final class Groups(var unwritten: Int) extends EarlyWrites.Target {
    var written = 0
    var most = 0
    private var inRow = 0

    override def writeOldest(): Unit = {
      if (unwritten > 0) unwritten -= 1
      written += 1
      inRow += 1
      most = math.max(most, inRow)
    }

    def nextRow(): Unit = inRow = 0
  }

  /** A batch of 100 seconds with a row at each of these milliseconds. */
  private def run(groups: Groups, rows: Iterable[Long])(after: Long => Any): Unit = {
    val writes = new EarlyWrites(5000L, 100000L)
    rows.foreach { at =>
      groups.nextRow()
      writes.write(5000L + at, groups)
      after(at)
    }
  }

  private def check(count: Int, everyMillis: Long): Assertion = {
    val groups = new Groups(count)
    var written = Vector.empty[(Long, Int)]
    run(groups, 0L to 100000L by everyMillis)(at => written :+= at -> groups.written)
    assert(groups.unwritten === 0)
    assert(groups.written === count)
    // Not before half of the batch.
    assert(written.takeWhile(_._1 < 50000L).forall(_._2 == 0))
  }

  test("many rows")(check(20000, everyMillis = 1L))

  test("few groups are written in the last second") {
    val groups = new Groups(100)
    run(groups, 0L to 98900L by 1L)(_ => assert(groups.written === 0))
    check(100, everyMillis = 1L)
  }

  test("a few rows each second")(check(5000, everyMillis = 200L))

  test("the groups are spread over the rows") {
    val groups = new Groups(2000)
    run(groups, 0L to 100000L by 1L)(_ => ())
    assert(groups.unwritten === 0)
    assert(groups.most < 60)
  }

  test("groups that have rows again are written again, once for each row at most") {
    val groups = new Groups(100)
    run(groups, 0L to 100000L by 1L) { at =>
      if (at > 50000L && groups.unwritten < 100) groups.unwritten += 1
    }
    assert(groups.unwritten <= 2)
    assert(groups.written < 100 + 1200)
  }

  test("a row after the end") {
    val groups = new Groups(10)
    run(groups, Seq(99900L, 100200L))(_ => ())
    assert(groups.unwritten === 0)
  }
}

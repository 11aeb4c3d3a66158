package org.apache.spark.sql.muntin

import org.scalatest.{Failed, Outcome, TestSuite, TestSuiteMixin}

/**
 * A test that is out of memory has failed; ScalaTest alone would abort the suite and leave its
 * session open.
 */
trait OutOfMemoryFails extends TestSuiteMixin { this: TestSuite =>
  abstract override def withFixture(test: NoArgTest): Outcome =
    try super.withFixture(test)
    catch {
      case e: OutOfMemoryError => Failed(new RuntimeException(s"out of memory: ${e.getMessage}", e))
    }
}

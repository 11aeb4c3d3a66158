package io.muntin.kernel

import org.scalatest.{Failed, Outcome}
import org.scalatest.funsuite.AnyFunSuite

/**
 * The base class of all suites. A test that runs out of memory fails; ScalaTest itself would abort
 * the suite, and leave its resources open.
 */
abstract class MuntinSuite extends AnyFunSuite {
  override protected def withFixture(test: NoArgTest): Outcome =
    try super.withFixture(test)
    catch {
      case e: OutOfMemoryError => Failed(new RuntimeException(s"out of memory: ${e.getMessage}", e))
    }
}

package io.muntin.kernel

import org.scalatest.{Failed, Outcome}
import org.scalatest.funsuite.AnyFunSuite

/**
 * What all suites extend. A test that is out of memory has failed; ScalaTest alone would abort the
 * suite, and leave open what it has opened.
 */
abstract class MuntinSuite extends AnyFunSuite {
  override protected def withFixture(test: NoArgTest): Outcome =
    try super.withFixture(test)
    catch {
      case e: OutOfMemoryError => Failed(new RuntimeException(s"out of memory: ${e.getMessage}", e))
    }
}

package io.muntin.kernel

import org.scalatest.{Args, Reporter, Stopper}
import org.scalatest.events.{Event, SuiteAborted, TestFailed, TestSucceeded}

import scala.collection.mutable

class OutOfMemorySuite extends MuntinSuite {
  private class Inner extends MuntinSuite {
    test("first")(throw new OutOfMemoryError("none left"))
    test("second")(assert(1 + 1 === 2))
  }

  test("later tests run") {
    val events = mutable.Buffer.empty[Event]
    val reporter = new Reporter {
      override def apply(event: Event): Unit = events += event
    }
    new Inner().run(None, Args(reporter, Stopper.default)): Unit
    val failed = events.collect { case e: TestFailed => e.testName -> e.message }
    assert(failed === Seq("first" -> "out of memory: none left"))
    assert(events.collect { case e: TestSucceeded => e.testName } === Seq("second"))
    assert(!events.exists(_.isInstanceOf[SuiteAborted]))
  }
}

package org.apache.spark.sql.muntin.errors

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.{SparkThrowable, SparkThrowableHelper}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.muntin.spark.{
  MuntinAnalysisException,
  MuntinIllegalArgumentException,
  MuntinRuntimeException,
  RegisteredConditions
}

/** Raises each error condition of error-conditions.json that main sources name. */
class ErrorConditionsSuite extends MuntinSession {
  import ErrorConditionsSuite._

  override protected def settings: Map[String, String] = super.settings + (
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW readings AS
        |SELECT sensor, CAST(at AS TIMESTAMP) AS at, x FROM VALUES
        |  ('a', '2026-01-01 10:00:00', 1.0D), ('a', NULL, 5.0D),
        |  ('b', '2026-01-01 10:05:00', 2.0D) AS rows(sensor, at, x)""".stripMargin
    )
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW calls AS
        |SELECT * FROM VALUES ('ann', 0, 10), ('bob', 15, 5), ('cid', 20, NULL)
        |  AS calls(who, began, ended)""".stripMargin
    ): Unit
  }

  private val cases =
    ExpressionsErrorCases.all ++ PlansErrorCases.all ++ StreamsErrorCases.all

  cases.groupBy(_.condition).toSeq.sortBy(_._1).foreach { case (condition, ofCondition) =>
    test(condition) {
      ofCondition.foreach(check)
    }
  }

  private def check(of: ErrorCase): Unit = {
    val error = Try(of.run(spark)).failed.getOrElse(fail("no error"))
    assertCondition(error, of.condition, of.parameters.toSeq: _*)
    val own = causes(error).collectFirst {
      case e: SparkThrowable if e.getCondition == of.condition => e
    }.get
    val condition = ErrorConditions(of.condition)
    assert(own.getSqlState === condition.sqlState)
    assert(own.asInstanceOf[Throwable].getMessage.startsWith(s"[${of.condition}] "))
    val missing = condition.parameters -- own.getMessageParameters.asScala.keySet
    if (missing.nonEmpty) fail(s"${of.condition} requires $missing")
  }

  test("each condition of the JVM has a case") {
    val named = sources("src/main", ".scala") ++ sources("kernel/src/main", ".scala")
    val conditions = ErrorConditions.all.keySet.intersect(named.flatMap(namesIn).toSet)
    assert(conditions -- cases.map(_.condition) === Set.empty)
  }

  test("sources name only conditions of the file, and each condition of the file") {
    val jvm = sources("src/main", ".scala") ++ sources("src/main", ".java") ++
      sources("kernel/src/main", ".scala")
    val used = (jvm ++ sources("../python/muntin", ".py")).flatMap(namesIn).toSet
    assert(used -- EnvironmentVariables -- ErrorConditions.all.keySet === Set.empty)
    assert(ErrorConditions.all.keySet -- used === Set.empty)
  }

  test("Spark has the conditions as well: messages, SQLSTATEs and PySpark's lookups") {
    assert(RegisteredConditions.add())
    ErrorConditions.all.values.foreach { condition =>
      assert(SparkThrowableHelper.getSqlState(condition.name) === condition.sqlState)
    }
    val text = SparkThrowableHelper.getMessage(
      "MUNTIN_NONDETERMINISTIC",
      Map("function" -> "f", "expression" -> "rand()")
    )
    assert(text.contains("`f` cannot use `rand()`"))
    assert(SparkThrowableHelper.getSqlState("UNRESOLVED_ROUTINE") === "42883")
  }

  test("conditions have an SQLSTATE, and no parameter is a sentence") {
    ErrorConditions.all.values.foreach { condition =>
      assert(condition.sqlState.matches("[0-9A-Z]{5}"), condition.name)
      assert(condition.name.matches("MUNTIN(_[A-Z0-9]+)+"))
      assert(condition.parameters.intersect(Set("message", "reason", "why")) === Set.empty)
    }
  }

  test("errors have their condition, SQLSTATE and parameters after serialization") {
    val (name, values) = ("MUNTIN_NOT_A_WINDOW", Seq("function" -> "f", "argument" -> "x"))
    Seq[Throwable](
      new MuntinAnalysisException(name, values: _*),
      new MuntinRuntimeException(name, values: _*),
      new MuntinIllegalArgumentException(name, values: _*)
    ).foreach { error =>
      val read = serialized(error)
      assert(read.getClass === error.getClass)
      assert(read.getMessage === error.getMessage)
      assertCondition(read, name, values: _*)
      assert(read.asInstanceOf[SparkThrowable].getSqlState === "42K09")
    }
  }

  test("an AnalysisException keeps its condition and SQLSTATE with a position") {
    val error =
      new MuntinAnalysisException("MUNTIN_NOT_A_WINDOW", "function" -> "f", "argument" -> "x")
    val placed = error.withPosition(Origin(line = Some(3), startPosition = Some(7)))
    assert(placed.line === Some(3))
    assert(placed.startPosition === Some(7))
    assertCondition(placed, "MUNTIN_NOT_A_WINDOW", "function" -> "f", "argument" -> "x")
    assert(placed.getSqlState === "42K09")
  }

  test("a message requires a value for each parameter") {
    val error = intercept[IllegalStateException] {
      new MuntinAnalysisException("MUNTIN_NOT_A_WINDOW", "function" -> "f")
    }
    assert(error.getMessage === "MUNTIN_NOT_A_WINDOW requires a value for <argument>")
  }
}

object ErrorConditionsSuite {
  private val EnvironmentVariables = Set("MUNTIN_ENABLED")
  private val Name = "\"(MUNTIN_[A-Z0-9_]+)\"".r

  private def namesIn(source: String): Iterator[String] =
    Name.findAllMatchIn(source).map(_.group(1))

  private def sources(folder: String, extension: String): Seq[String] = {
    val files = Files.walk(Path.of(folder))
    try
      files.iterator.asScala.filter(_.toString.endsWith(extension)).map(Files.readString).toList
    finally files.close()
  }

  private def serialized(error: Throwable): Throwable = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(error)
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      .asInstanceOf[Throwable]
  }
}

package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import scala.jdk.StreamConverters._

import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.muntin.plans.dialect.MuntinFunctions
import org.apache.spark.sql.muntin.spark.FunctionNames

/** Every function that Muntin adds to SQL, in Spark's own commands. */
class SqlFunctionSuite extends MuntinSession {
  MuntinFunctions.all.foreach { function =>
    test(s"${function.name}: the example is correct, and DESCRIBE FUNCTION shows it") {
      val definition = function.definition
      assert(Shown(spark.sql(definition.query)) === definition.rows)
      val shown = spark.sql(s"DESCRIBE FUNCTION EXTENDED ${function.name}").collect()
        .map(_.getString(0)).mkString("\n")
      assert(shown.contains(definition.query))
      assert(shown.contains(s"${function.name}("))
      definition.parameters.foreach(p => assert(shown.contains(p.name)))
      assert(!shown.contains("_FUNC_"))
      assert(shown.contains(s"Since: ${definition.since}"))
    }
  }

  test("each is registered in its group, with the version that introduced it") {
    val groups = Map(
      "window_funcs" -> Seq(
        "sliding",
        "since",
        "session",
        "session_number",
        "fill",
        "framed",
        "is_complete",
        "window_rows"
      ),
      "datetime_funcs" -> Seq(
        "tumble",
        "hop",
        "ticks",
        "sessions",
        "validity",
        "field_window",
        "row_time"
      ),
      "predicate_funcs" -> Seq("asof", "overlaps", "bound"),
      "generator_funcs" -> Seq("time_steps"),
      "misc_funcs" -> Seq("revision"),
      "table_funcs" -> Seq(
        "window_by",
        "resample",
        "pending",
        "repartition",
        "state",
        "restore",
        "bootstrap",
        "compare",
        "change",
        "affected",
        "refresh"
      )
    )
    val groupOf = groups.toSeq.flatMap { case (group, names) => names.map(_ -> group) }.toMap
    def id(function: SqlFunction) = FunctionNames.builtin(function.qualifiedName)
    val state = spark.sessionState
    val (rows, tables) = (state.functionRegistry, state.tableFunctionRegistry)
    val infos = MuntinFunctions.all.map(f => f -> rows.lookupFunction(id(f))) ++
      MuntinFunctions.tables.map(_.function).map(f => f -> tables.lookupFunction(id(f)))
    assert(groupOf.keySet.subsetOf(infos.map(_._1.name).toSet))
    infos.foreach { case (function, info) =>
      // The other functions are aggregates.
      val group = groupOf.getOrElse(function.name, "agg_funcs")
      assert(info.map(_.getGroup) === Some(group), function.name)
      assert(info.map(_.getSince) === Some(function.definition.since), function.name)
      assert(function.definition.since.matches("""\d+\.\d+\.\d+"""), function.name)
    }
  }

  test("SHOW FUNCTIONS lists them") {
    val names = spark.sql("SHOW FUNCTIONS").collect()
      .map(_.getString(0).stripPrefix("spark_catalog.")).toSet
    assert(MuntinFunctions.all.map(_.qualifiedName).toSet.subsetOf(names))
  }

  test("each definition belongs to one of them") {
    val files = Files.list(Path.of("..", "codegen", "definitions")).toScala(Seq)
    val defined = files.map(_.getFileName.toString.stripSuffix(".toml"))
    assert(defined.toSet === MuntinFunctions.all.map(_.name).toSet)
  }
}

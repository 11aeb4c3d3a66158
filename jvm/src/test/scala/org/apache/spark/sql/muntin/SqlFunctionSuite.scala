package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import scala.jdk.StreamConverters._

import org.apache.spark.sql.muntin.plans.dialect.MuntinFunctions

/** Every function that Muntin adds to SQL, as Spark's own commands show it. */
class SqlFunctionSuite extends MuntinSession {
  MuntinFunctions.all.foreach { function =>
    test(s"${function.name}: the example is right, and DESCRIBE FUNCTION shows it") {
      val definition = function.definition
      assert(Shown(spark.sql(definition.query)) === definition.rows)
      val shown = spark.sql(s"DESCRIBE FUNCTION EXTENDED ${function.name}").collect()
        .map(_.getString(0)).mkString("\n")
      assert(shown.contains(definition.query))
      assert(shown.contains(s"${function.name}("))
      definition.parameters.foreach(p => assert(shown.contains(p.name)))
      assert(!shown.contains("_FUNC_"))
    }
  }

  test("SHOW FUNCTIONS lists them") {
    val names = spark.sql("SHOW FUNCTIONS").collect()
      .map(_.getString(0).stripPrefix("spark_catalog.")).toSet
    assert(MuntinFunctions.all.map(_.qualifiedName).toSet.subsetOf(names))
  }

  test("each definition is of one of them") {
    val files = Files.list(Path.of("..", "codegen", "definitions")).toScala(Seq)
    val defined = files.map(_.getFileName.toString.stripSuffix(".toml"))
    assert(defined.toSet === MuntinFunctions.all.map(_.name).toSet)
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.plans.MuntinFunctions

/** Every function that Muntin adds to SQL, as Spark's own commands show it. */
class SqlFunctionSuite extends MuntinSession {
  MuntinFunctions.all.foreach { function =>
    test(s"${function.name}: the example is right, and DESCRIBE FUNCTION shows it") {
      val rows = spark.sql(function.example.query).collect().toSeq.map { row =>
        assert(row.length === 1)
        Option(row.get(0)).fold("NULL")(_.toString)
      }
      assert(rows === function.example.rows)
      val shown = spark.sql(s"DESCRIBE FUNCTION EXTENDED ${function.name}").collect()
        .map(_.getString(0)).mkString("\n")
      assert(shown.contains(function.example.query))
      assert(shown.contains(s"${function.name}("))
      assert(!shown.contains("_FUNC_"))
    }
  }

  test("SHOW FUNCTIONS lists them") {
    val names = spark.sql("SHOW FUNCTIONS").collect().map(_.getString(0)).toSet
    assert(MuntinFunctions.all.map(_.qualifiedName).toSet.subsetOf(names))
  }
}

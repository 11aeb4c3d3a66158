package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}
import java.util.regex.Matcher

import scala.collection.mutable

import io.muntin.kernel.Cases
import org.apache.spark.sql.{AnalysisException, Encoder, Encoders}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.{call_function, expr, lit, udaf}
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}
import org.apache.spark.sql.connector.catalog.functions.{
  BoundFunction,
  ScalarFunction,
  UnboundFunction
}
import org.apache.spark.sql.muntin.expressions.{Completeness, FieldWindow, Nth, Rate}
import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.muntin.plans.dialect.MuntinFunctions
import org.apache.spark.sql.types.{DataType, DoubleType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.Assertion

/**
 * A user's function with the name of a Muntin function: queries call the user's function, and
 * Muntin's function as muntin.NAME.
 */
class UserFunctionsSuite extends MuntinSession {
  override protected def settings: Map[String, String] =
    Map("spark.sql.catalog.far" -> classOf[FarCatalog].getName)

  /** One kind of function that a user may have: how it is created and dropped. */
  private case class Kind(name: String, make: String => Unit, drop: String => Unit)

  private def sql(text: String): Unit = spark.sql(text).collect(): Unit

  private def dropTemporary(name: String): Unit = sql(s"DROP TEMPORARY FUNCTION $name")

  private val kinds: Seq[Kind] = Seq(
    Kind(
      "temporary SQL function",
      f => sql(s"CREATE TEMPORARY FUNCTION $f(a DOUBLE, b DOUBLE) RETURNS STRING RETURN 'user'"),
      dropTemporary
    ),
    Kind(
      "registered function (udf.register)",
      f => spark.udf.register(f, (_: Double, _: Double) => "user"): Unit,
      dropTemporary
    ),
    Kind(
      "registered aggregate (udaf)",
      f => spark.udf.register(f, udaf(Users)): Unit,
      dropTemporary
    ),
    Kind(
      "catalog's SQL function",
      f => sql(s"CREATE FUNCTION $f(a DOUBLE, b DOUBLE) RETURNS STRING RETURN 'user'"),
      f => sql(s"DROP FUNCTION $f")
    ),
    Kind(
      "function of another current catalog",
      _ => sql("USE far.users"),
      _ => sql("USE spark_catalog.default")
    )
  )

  private def has(kind: Kind, name: String)(body: => Assertion): Assertion = {
    kind.make(name)
    try body
    finally kind.drop(name)
  }

  private def isUsers(query: String, rows: Int = 1): Assertion =
    assert(spark.sql(query).collect().map(_.get(0)).toSeq === Seq.fill(rows)("user"), query)

  private val calls = MuntinFunctions.all.map(_.name).mkString("\\b(", "|", ")\\(").r

  /**
   * Asserts that the example of `function` is correct if each function of Muntin is called by the
   * `written` form of its name.
   */
  private def isOurs(function: SqlFunction)(written: String => String): Assertion = {
    val query = calls.replaceAllIn(
      function.definition.query,
      call => Matcher.quoteReplacement(written(call.group(1)) + "(")
    )
    val made = spark.sql(query)
    val plan = made.queryExecution.analyzed.canonicalized
    // The plan is correct, so analysis is sufficient.
    if (right.contains(plan)) succeed
    else {
      assert(Shown(made) === function.definition.rows, query)
      right += plan
      succeed
    }
  }

  /**
   * Muntin's function, with any functions of the user; on Sparks where table functions have no
   * schema, by one name.
   */
  private def qualified(name: String): String = {
    val isTable = MuntinFunctions.tables.exists(_.function.name == name)
    if (isTable && !RunningSpark.qualifiesTableFunctions) s"`muntin.$name`" else s"muntin.$name"
  }

  private val right = mutable.Set.empty[LogicalPlan]

  /** The names and kinds for which the tests below can call both functions. */
  private val seen = mutable.Set.empty[(String, String)]

  for (function <- MuntinFunctions.all; kind <- kinds) {
    val name = function.name
    sampledTest(s"$name: a ${kind.name} of that name is called") {
      has(kind, name) {
        isUsers(
          Seq(
            s"SELECT $name(1D, 2D)",
            s"SELECT ${name.toUpperCase(java.util.Locale.ROOT)}(1D, x) FROM VALUES (1D) AS t(x)",
            s"SELECT (SELECT $name(1D, 2D))",
            s"(WITH c AS (SELECT $name(1D, 2D) AS x) SELECT x FROM c)"
          ).mkString(" UNION ALL "),
          rows = 4
        )
        val row =
          spark.range(1).select(expr(s"$name(1D, 2D)"), call_function(name, lit(1d), lit(2d)))
        assert(row.collect().toSeq.map(_.toSeq) === Seq(Seq("user", "user")))
        isOurs(function)(qualified)
        isOurs(function)(name => s"`muntin.$name`")
        isOurs(function)(name => s"`MUNTIN.$name`")
      }
      seen += name -> kind.name
      isOurs(function)(identity)
    }
  }

  test("docs/by-default.md names these kinds") {
    assume(seen.nonEmpty)
    val page = Files.readString(Path.of("..", "docs", "by-default.md")).replaceAll("\\s+", " ")
    kinds.foreach { kind =>
      val names = MuntinFunctions.all.map(_.name).filter(name => seen(name -> kind.name))
      if (!Cases.isGate) assert(names === MuntinFunctions.all.map(_.name))
      assert(page.contains(s" a ${kind.name}"))
    }
  }

  sampledTest("a schema muntin of the user") {
    sql("CREATE SCHEMA muntin")
    try {
      MuntinFunctions.all.foreach { function =>
        isOurs(function)(name => if (name == function.name) qualified(name) else name)
        sql(
          s"CREATE FUNCTION muntin.${function.name}(a DOUBLE, b DOUBLE) RETURNS STRING RETURN 'user'"
        )
        isUsers(s"SELECT muntin.${function.name}(1D, 2D)")
        isUsers(s"SELECT spark_catalog.muntin.${function.name}(1D, 2D)")
        isOurs(function)(identity)
        isOurs(function)(name => s"`muntin.$name`")
      }
      sql("USE muntin")
      MuntinFunctions.all.foreach(f => isUsers(s"SELECT ${f.name}(1D, 2D)"))
    } finally {
      sql("USE default")
      sql("DROP SCHEMA muntin CASCADE")
    }
  }

  test("a catalog without functions") {
    withConf("spark.sql.catalog.bare" -> classOf[BareCatalog].getName) {
      sql("USE bare")
      try MuntinFunctions.all.foreach(isOurs(_)(identity))
      finally sql("USE spark_catalog.default")
    }
  }

  test("a table function of the user") {
    sql("CREATE TEMPORARY FUNCTION window_by(n INT) RETURNS TABLE(x STRING) RETURN SELECT 'user'")
    try isUsers("SELECT * FROM window_by(1)")
    finally dropTemporary("window_by")
  }

  test("in views and in SQL functions, with Muntin's names and the user's") {
    assume(RunningSpark.keepsFunctions, "of extensions' functions in SQL functions")
    sql(
      "CREATE FUNCTION second_of_two() RETURNS INT RETURN (SELECT `muntin.nth`(x, 2) FROM VALUES 5, 7 AS t(x))"
    )
    sql(
      "CREATE VIEW two AS SELECT sliding(sum(x), 2) OVER (ORDER BY x) AS s FROM VALUES 1, 2 AS t(x)"
    )
    sql("CREATE TEMPORARY VIEW three AS SELECT * FROM two")
    val bare = intercept[AnalysisException] {
      sql(
        "CREATE FUNCTION third_of_one() RETURNS INT RETURN (SELECT nth(x, 3) FROM VALUES 5 AS t(x))"
      )
    }
    assertCondition(
      bare,
      "MUNTIN_UNQUALIFIED_NAME_IN_FUNCTION_BODY",
      "function" -> "nth",
      "qualifiedName" -> "`muntin.nth`"
    )
    def views(): Assertion = {
      assert(spark.sql("SELECT second_of_two()").head().getInt(0) === 7)
      assert(spark.sql("SELECT s FROM three").collect().map(_.get(0)).toSet === Set[Any](null, 3L))
    }
    try {
      views()
      // By Spark's rules, a view keeps its meaning: functions that the session creates later are
      // not visible in it.
      sql("CREATE FUNCTION rate(a DOUBLE, b DOUBLE) RETURNS STRING RETURN 'user'")
      sql("CREATE VIEW users AS SELECT rate(1D, 2D) AS r")
      isUsers("SELECT r FROM users")
    } finally
      Seq("VIEW two", "VIEW three", "VIEW users", "FUNCTION second_of_two", "FUNCTION rate")
        .foreach(made => sql(s"DROP ${made.replace(" ", " IF EXISTS ")}"))
  }

  test("IDENTIFIER") {
    Seq(Nth, Rate, Completeness, FieldWindow).foreach { f =>
      isOurs(f)(name => s"IDENTIFIER('`muntin.' || '$name`')")
    }
  }

  test("DESCRIBE FUNCTION shows the called function") {
    def shown(name: String) =
      spark.sql(s"DESCRIBE FUNCTION $name").collect().map(_.getString(0)).mkString("\n")
    val ours = shown("rate")
    assert(ours.contains("rate(start, end"))
    Seq("muntin.rate", "`muntin.rate`").foreach(name => assert(shown(name) === ours))
    has(kinds.head, "rate") {
      assert(!shown("rate").contains("rate(start, end"))
      assert(shown("muntin.rate") === ours)
    }
  }

  test("an unknown name is an error that shows the name") {
    Seq("slidding(1)", "muntin.slidding(1)", "other.sliding(1)").foreach { call =>
      val error = intercept[AnalysisException](spark.sql(s"SELECT $call"))
      assert(error.getCondition === "UNRESOLVED_ROUTINE")
    }
  }
}

/** An aggregate of two columns. */
private object Users extends Aggregator[(Double, Double), String, String] {
  override def zero: String = "user"

  override def reduce(buffer: String, row: (Double, Double)): String = buffer

  override def merge(one: String, other: String): String = one

  override def finish(buffer: String): String = buffer

  override def bufferEncoder: Encoder[String] = Encoders.STRING

  override def outputEncoder: Encoder[String] = Encoders.STRING
}

/** A catalog without functions. */
class BareCatalog extends org.apache.spark.sql.connector.catalog.CatalogPlugin {
  private var called: String = _

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = called = name

  override def name: String = called
}

/** A catalog with every function in its schema users. */
class FarCatalog extends FunctionCatalog {
  private var called: String = _

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = called = name

  override def name: String = called

  override def defaultNamespace: Array[String] = Array("users")

  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array.empty

  override def functionExists(ident: Identifier): Boolean =
    ident.namespace.sameElements(defaultNamespace)

  override def loadFunction(ident: Identifier): UnboundFunction = new UnboundFunction {
    override def name: String = ident.name

    override def description: String = name

    override def bind(inputType: StructType): BoundFunction = new ScalarFunction[UTF8String] {
      override def name: String = ident.name

      override def inputTypes: Array[DataType] = Array(DoubleType, DoubleType)

      override def resultType: DataType = StringType

      override def produceResult(
          input: org.apache.spark.sql.catalyst.InternalRow
      ): UTF8String = UTF8String.fromString("user")
    }
  }
}

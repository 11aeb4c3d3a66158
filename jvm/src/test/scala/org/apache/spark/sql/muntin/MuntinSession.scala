package org.apache.spark.sql.muntin

import scala.util.{Failure, Success, Try}

import io.muntin.kernel.SampledTests
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  ExprId,
  Expression,
  NamedExpression,
  RuntimeReplaceable
}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec
import org.apache.spark.sql.muntin.expressions.Ewm
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll

/**
 * A separate session for the suite, in which a task that leaks memory fails, and the comparison of
 * a query under Muntin with the query under Spark's own operator.
 */
trait MuntinSession
    extends SampledTests
    with BeforeAndAfterAll
    with AdaptiveSparkPlanHelper
    with ConditionAssertions {
  private var running: SparkSession = _

  protected final def spark: SparkSession = running

  /** Settings of the session, in addition to the usual settings. */
  protected def settings: Map[String, String] = Map.empty

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val usual = Map(
      "spark.ui.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2",
      "spark.unsafe.exceptionOnMemoryLeak" -> "true",
      "spark.sql.session.timeZone" -> "UTC",
      // Otherwise tasks request each class in generated code from the driver, over a socket.
      "spark.sql.artifact.isolation.enabled" -> "false",
      // The radix sort moves ties if there are nulls: neither operator would see rows in their
      // order.
      "spark.sql.sort.enableRadixSort" -> "false",
      // Compiling a stage takes longer than running it on a few rows. Muntin compiles the code of its
      // operators; RandomOverSuite and `make test-long` also compile whole stages.
      "spark.sql.codegen.wholeStage" -> Repeats.isLong.toString,
      // Each stage is a broadcast, which takes at least one block: 4 MiB of zeros.
      "spark.broadcast.blockSize" -> "64k",
      "spark.hadoop.fs.file.impl" -> classOf[PlainFiles].getName,
      // The session of another suite.
      "spark.hadoop.fs.file.impl.disable.cache" -> "true",
      "spark.sql.warehouse.dir" -> "target/spark-warehouse"
    )
    running = SharedContext.session(usual ++ settings)
    // Expected errors would fill the report.
    running.sparkContext.setLogLevel("OFF")
    SparksOwn.register(running)
  }

  override protected def afterAll(): Unit =
    try SharedContext.end(running)
    finally super.afterAll()

  protected final def withConf[T](pairs: (String, String)*)(body: => T): T = {
    val before = pairs.map { case (key, _) => key -> spark.conf.getOption(key) }
    pairs.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => spark.conf.set(key, value)
        case (key, None) => spark.conf.unset(key)
      }
  }

  /** Without Muntin, a query runs only for a comparison on few rows. */
  protected final def withMuntin[T](enabled: Boolean)(body: => T): T =
    if (enabled) withConf(MuntinConf.OverEnabled.key -> "true")(body)
    else withConf(MuntinConf.OverEnabled.key -> "false")(interpreted(body))

  /** Without generated code, which takes longer to compile than it saves on a few rows. */
  protected final def interpreted[T](body: => T): T = withConf(withoutCode: _*)(body)

  private val withoutCode =
    Seq("spark.sql.codegen.wholeStage" -> "false", "spark.sql.codegen.factoryMode" -> "NO_CODEGEN")

  /**
   * For suites that test dozens of functions at a time; `make test-long` generates code for these
   * as well.
   */
  protected final def mostlyInterpreted: Map[String, String] =
    if (Repeats.isLong) Map.empty else withoutCode.toMap

  protected final def muntinNodes(frame: DataFrame): Seq[MuntinWindowExec] =
    nodes(frame) { case m: MuntinWindowExec => m }

  protected final def sparkNodes(frame: DataFrame): Seq[WindowExec] =
    nodes(frame) { case w: WindowExec => w }

  protected final def nodes[T](frame: DataFrame)(pick: PartialFunction[SparkPlan, T]): Seq[T] =
    collectWithSubqueries(frame.queryExecution.executedPlan)(pick)

  /**
   * Checks that the query returns equal rows with and without Muntin, and that Muntin runs all of
   * its windows.
   */
  protected final def checkSame(query: String): Outcome = checkSame(query, TakenOver.Wholly)

  protected final def checkSame(query: String, takenOver: TakenOver): Outcome = {
    assume(RunningSpark.runsOver(query), "stock Spark does not have all of the query")
    checkSame(spark.sql(query), takenOver, query)
  }

  /** `query` is built under each setting, because analysis may depend on it. */
  protected final def checkSame(
      query: => DataFrame,
      takenOver: TakenOver = TakenOver.Wholly,
      name: String = "query"
  ): Outcome = {
    val stock = withMuntin(enabled = false)(outcome(query) { made =>
      assert(muntinNodes(made).isEmpty, s"Muntin is off, yet it plans $name")
    })
    val ours = withMuntin(enabled = true)(outcome(query) { made =>
      val (muntins, sparks) = (muntinNodes(made), sparkNodes(made))
      if (takenOver != TakenOver.Nothing) assert(muntins.nonEmpty, s"Muntin does not plan $name")
      if (takenOver == TakenOver.Wholly) assert(sparks.isEmpty, s"Spark runs a part of $name")
      if (takenOver == TakenOver.Partly) assert(sparks.nonEmpty, s"Spark runs nothing of $name")
      if (takenOver == TakenOver.Nothing) assert(muntins.isEmpty, s"Muntin plans $name")
    })
    Outcome.difference(stock, ours).foreach(d => fail(s"$d\n$name"))
    ours
  }

  /**
   * Checks a query that Spark rejects: under Muntin it returns the rows of `stock`, an equivalent,
   * slower query.
   */
  protected final def checkAgainst(
      stock: String,
      query: String,
      takenOver: TakenOver = TakenOver.Wholly
  ): Outcome = {
    assume(RunningSpark.runsOver(stock), "stock Spark does not have all of the query")
    checkSame(
      spark.sql(if (spark.conf.get(MuntinConf.OverEnabled.key).toBoolean) query else stock),
      takenOver,
      query
    )
  }

  /** checkSame for queries that must return rows: equal errors do not count. */
  protected final def sameRows(query: String): Outcome = withRows(query, checkSame(query))

  /** checkAgainst for queries that must return rows. */
  protected final def sameRowsAs(stock: String, query: String): Outcome =
    withRows(query, checkAgainst(stock, query))

  private def withRows(query: String, outcome: Outcome): Outcome = outcome match {
    case Outcome.Failed(error) => fail(query, error)
    case rows => rows
  }

  private def outcome(query: => DataFrame)(checkPlan: DataFrame => Any): Outcome =
    Try {
      val made = query
      // A query that cannot be planned has no plan, so the test compares its error.
      made.queryExecution.executedPlan: Unit
      made
    } match {
      case Failure(e) => Outcome.Failed(e)
      case Success(made) =>
        checkPlan(made)
        Try(made.collect().toSeq) match {
          case Failure(e) => Outcome.Failed(e)
          case Success(rows) =>
            Outcome.Rows(made.schema, rows, Outcome.roundedColumns(made.queryExecution.analyzed))
        }
    }
}

/** The part of a query's windows that Muntin runs. */
sealed trait TakenOver

object TakenOver {
  case object Wholly extends TakenOver
  case object Partly extends TakenOver
  case object Nothing extends TakenOver
}

/** The outcome of a query. */
sealed trait Outcome

object Outcome {

  /** Columns in `rounded` depend on floating-point sums, which stock Spark rounds at every step. */
  final case class Rows(schema: StructType, rows: Seq[Row], rounded: Set[Int]) extends Outcome

  final case class Failed(error: Throwable) extends Outcome {
    def condition: String =
      ConditionAssertions.causes(error)
        .collectFirst { case s: SparkThrowable if s.getCondition != null => s.getCondition }
        .getOrElse(error.getClass.getName)
  }

  /** Returns the difference, if any. */
  def difference(stock: Outcome, ours: Outcome): Option[String] = (stock, ours) match {
    case (a: Failed, b: Failed) if a.condition == b.condition => None
    case (a: Failed, b: Failed) if alike.exists(e => e(a.condition) && e(b.condition)) => None
    case (a: Failed, b: Failed) =>
      Some(s"Spark fails with ${a.condition}, Muntin with ${b.condition}: ${trace(b.error)}")
    case (a: Failed, _) => Some(s"Spark fails with ${a.condition}, Muntin gives rows")
    case (_, b: Failed) => Some(s"Muntin fails: ${trace(b.error)}")
    case (a: Rows, b: Rows) if a.schema.asNullable != b.schema.asNullable =>
      Some(s"Spark's schema ${a.schema.sql}, Muntin's ${b.schema.sql}")
    case (a: Rows, b: Rows) if a.rows.size != b.rows.size =>
      Some(s"Spark gives ${a.rows.size} rows, Muntin ${b.rows.size}")
    case (a: Rows, b: Rows) =>
      val pairs = sorted(a).zip(sorted(b)).filterNot { case (x, y) => sameRow(x, y, a.rounded) }
      if (pairs.isEmpty) None
      else {
        val shown = pairs.take(5).map { case (x, y) => s"  Spark  $x\n  Muntin $y" }
        Some(s"${pairs.size} of ${a.rows.size} rows differ:\n${shown.mkString("\n")}")
      }
  }

  // For a decimal that does not fit, or a null of a non-nullable type, the error in stock Spark
  // depends on code generation.
  private val alike = Seq(
    Set("ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"),
    Set("NOT_NULL_ASSERT_VIOLATION", "EXPRESSION_DECODING_FAILED")
  )

  private def trace(e: Throwable): String = {
    val text = new java.io.StringWriter
    e.printStackTrace(new java.io.PrintWriter(text))
    text.toString.linesIterator.take(60).mkString("\n")
  }

  // Sorts by the columns that must be equal first, so that rounding cannot change the order.
  private def sorted(rows: Rows): Seq[Row] = {
    def key(row: Row, columns: Set[Int]) =
      row.toSeq.zipWithIndex.collect { case (v, i) if columns(i) => rendered(v) }.mkString("|")
    val rounded = rows.rounded
    val exact = rows.schema.indices.toSet -- rounded
    rows.rows.sortBy(row => (key(row, exact), key(row, rounded)))
  }

  private def rendered(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("0x", ",", "")
    case other => String.valueOf(other)
  }

  private def sameRow(stock: Row, ours: Row, rounded: Set[Int]): Boolean =
    stock.toSeq.indices.forall(i => same(stock.get(i), ours.get(i), rounded(i)))

  private def same(stock: Any, ours: Any, rounded: Boolean): Boolean = (stock, ours) match {
    case (null, null) => true
    case (x: Double, y: Double) if rounded => near(x, y)
    case (x: Double, y: Double) => java.lang.Double.compare(x, y) == 0
    case (x: Float, y: Float) => java.lang.Float.compare(x, y) == 0
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.equals(x, y)
    case (x: Row, y: Row) => x.size == y.size && sameRow(x, y, Set.empty)
    case (x: scala.collection.Seq[_], y: scala.collection.Seq[_]) =>
      x.size == y.size && x.zip(y).forall { case (a, b) => same(a, b, rounded = false) }
    case (x, y) => x == y
  }

  /** Equal except for rounding: stock Spark returns zero moments with rounding errors. */
  def near(x: Double, y: Double): Boolean =
    if (x.isNaN || y.isNaN || x.isInfinite || y.isInfinite) {
      java.lang.Double.compare(x, y) == 0
    } else math.abs(x - y) <= 1e-9 * math.max(1.0, math.max(math.abs(x), math.abs(y)))

  /** The ordinals of the columns that depend on a floating-point sum. */
  def roundedColumns(plan: LogicalPlan): Set[Int] = {
    val rounded = scala.collection.mutable.Set.empty[ExprId]
    def isRounded(e: Expression): Boolean = e.exists {
      case _: Sum | _: Average | _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation |
          _: RegrSlope | _: RegrIntercept | _: Ewm =>
        true
      case r: RuntimeReplaceable => isRounded(r.replacement)
      case n: NamedExpression => rounded(n.exprId)
      case _ => false
    }
    plan.foreachUp(_.expressions.foreach(_.foreach {
      case a: Alias if isRounded(a.child) => rounded += a.exprId
      case _ =>
    }))
    plan.output.indices.filter(i => rounded(plan.output(i).exprId)).toSet
  }
}

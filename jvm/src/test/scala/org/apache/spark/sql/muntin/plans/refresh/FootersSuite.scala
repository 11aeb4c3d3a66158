package org.apache.spark.sql.muntin.plans.refresh

import java.nio.file.Files

import scala.util.Random

import io.muntin.kernel.Cases
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.{GreaterThanOrEqual, Literal, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.muntin.spark.BatchQuery
import org.apache.spark.sql.types.StructType

/** Queries over Parquet files whose footers are read first: they equal queries of Spark. */
final class FootersSuite extends MuntinSession with PredicateHelper {
  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY",
    "spark.sql.ansi.enabled" -> "false"
  )

  private val columns =
    """SELECT id AS p, CAST(n AS BYTE) AS b, CAST(n AS SHORT) AS s, CAST(n AS INT) AS i, n AS l,
      |  date_add(DATE'1995-06-01', CAST(n AS INT) * 500) AS d,
      |  timestamp_seconds(n * 1000000) AS t, CAST(timestamp_seconds(n * 1000000) AS TIMESTAMP_NTZ) AS z,
      |  CAST(n AS DOUBLE) AS x, CAST(n AS STRING) AS c, CAST(n AS DECIMAL(9, 1)) AS m""".stripMargin

  private def relationOf(plan: LogicalPlan): FooterIndex = plan.collectFirst {
    case relation: LogicalRelation => relation.relation
  }.collect { case files: HadoopFsRelation => files.location }.collect {
    case index: FooterIndex => index
  }.get

  private def rendered(rows: DataFrame): Seq[String] = rows.collect().map(_.toString).sorted.toSeq

  test("the first value of a column, also of a column of a view") {
    val folder = Files.createTempDirectory("muntin-footers").toString
    spark.range(7, 100, 1, 4)
      .selectExpr("id AS n", "timestamp_seconds(id * 1000) AS t", "CAST(id AS DOUBLE) AS x")
      .write.mode("overwrite").parquet(folder)
    val view =
      spark.read.parquet(folder).where("n > 50").selectExpr("t AS at", "n + 1 AS m", "n AS k", "x")
    val footers = new Footers(spark)
    val plan = footers.in(BatchQuery.plan(view))
    def first(name: String) = footers.first(plan, plan.output.find(_.name == name).get)
    assert(Seq("at", "m", "k", "x").map(first) === Seq(Some(7e9), None, Some(7.0), None))
  }

  test("random filters over random files") {
    val folder = Files.createTempDirectory("muntin-footers").toString
    val random = new Random(3L)
    // Each file has a range of its own, some nulls, or only nulls.
    val rows = for (file <- 0 until 12; _ <- 0 until 20) yield {
      val n = file * 10 - 60 + random.nextInt(25)
      Row(file.toLong, if (file == 5 || random.nextInt(10) == 0) null else n.toLong)
    }
    spark.createDataFrame(
      spark.sparkContext.parallelize(rows, 12),
      StructType.fromDDL("id long, n long")
    ).createOrReplaceTempView("footer_rows")
    spark.sql(s"$columns FROM footer_rows").write.mode("overwrite").parquet(folder)
    val table = spark.read.parquet(folder)
    var skipped = 0
    for (_ <- 0 until Cases(120).value) {
      val column = table.columns(random.nextInt(table.columns.length))
      def value() = Option(rows(random.nextInt(rows.size)).get(1)).getOrElse(3L)
      def literal(n: Any) =
        s"(${columns.linesIterator.mkString(" ")} FROM VALUES (0L, ${n}L) AS v(id, n))"
      val one = spark.sql(s"SELECT $column FROM ${literal(value())}").head().get(0)
      val other = spark.sql(s"SELECT $column FROM ${literal(value())}").head().get(0)
      val filters = Seq(
        table(column) >= one,
        table(column) <= one,
        table(column) === one,
        table(column).isin(one, other),
        table(column) >= one && table("l") <= value(),
        table(column).isNull
      )
      val wanted = table.where(filters(random.nextInt(filters.size)))
      val plan = new Footers(spark).in(BatchQuery.plan(wanted))
      assert(rendered(BatchQuery(spark, plan)) === rendered(wanted))
      val index = relationOf(plan)
      val conditions = BatchQuery(spark, plan).queryExecution.optimizedPlan.collect {
        case filter: Filter => filter.condition
      }.flatMap(splitConjunctivePredicates)
      val listed = index.listFiles(Nil, conditions).flatMap(_.files).size
      skipped += 12 - listed
    }
    assert(skipped > Cases(120).value)
    assert(new Footers(spark).count(new Footers(spark).in(BatchQuery.plan(table))) === 240L)
  }

  test("timestamps without statistics, other columns, and files that are not Parquet") {
    val folder = Files.createTempDirectory("muntin-footers").toString
    def write(sql: String, name: String): Unit =
      spark.sql(sql).coalesce(1).write.parquet(s"$folder/$name")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    try write("SELECT timestamp_seconds(id) AS t, id AS n FROM range(10)", "f=1")
    finally spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    write("SELECT timestamp_seconds(id) AS T, id AS m FROM range(10, 20)", "f=2")
    write("SELECT timestamp_seconds(id) AS t, CAST(id AS INT) AS n FROM range(20, 30)", "f=3")
    val table = spark.read.schema("t timestamp, n int, m long, f int").parquet(folder)
    for (
      filter <- Seq(
        "t >= timestamp_seconds(25)",
        "t <= timestamp_seconds(15)",
        "m >= 3",
        "f = 3 AND t >= timestamp_seconds(28)"
      )
    ) {
      // Spark reads a long as an int only if no value is read.
      val wanted = table.where(filter).select("t", "m", "f")
      val plan = new Footers(spark).in(BatchQuery.plan(wanted))
      assert(rendered(BatchQuery(spark, plan)) === rendered(wanted), filter)
    }
    val t = table.queryExecution.analyzed.output.head
    val index = relationOf(new Footers(spark).in(BatchQuery.plan(table)))
    assert(index.listFiles(Nil, Seq(GreaterThanOrEqual(t, Literal(100000000000L, t.dataType))))
      .flatMap(_.files).size === 2)
    val json = Files.createTempDirectory("muntin-footers").toString
    spark.range(10).write.mode("overwrite").json(json)
    val plan = BatchQuery.plan(spark.read.json(json))
    assert(new Footers(spark).in(plan) eq plan)
    assert(new Footers(spark).count(plan) === 10L)
  }
}

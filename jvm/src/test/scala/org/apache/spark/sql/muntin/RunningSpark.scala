package org.apache.spark.sql.muntin

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.muntin.spark.{DistinctEquality, FilterInOver}
import org.apache.spark.sql.types.DoubleType

/** What the Spark has that the tests run on. */
object RunningSpark {

  /** The newest Spark that the tests know has all that they ask for. */
  val isNewest: Boolean = ThisJar.SPARK == "4.3"

  /** Whether Spark's own operator takes aggregates with FILTER in OVER: since Spark 4.2. */
  val filtersInOver: Boolean = FilterInOver.isSparks

  /**
   * Whether the sets and modes of a column of RandomTable take those values for equal that
   * count(DISTINCT) takes for equal: before Spark 4.2, those of floating numbers do not.
   */
  def listsOnce(column: String): Boolean =
    DistinctEquality.areDistinct(DoubleType) || !Set("f", "x", "y", "wild", "wildf")(column)

  /** Before Spark 4.3 the correlation with a constant is an error in Spark, and not NULL. */
  private val correlatesConstants = isNewest

  /** Before Spark 4.3 the generated hash of an interval knows nothing of its days. */
  val hashesDays: Boolean = isNewest

  /** Whether a catalog's SQL function may call a function of an extension. */
  val keepsFunctions: Boolean = filtersInOver

  /** Whether min_by and max_by have a number of rows: since Spark 4.2. */
  private val hasSeveralBy = filtersInOver

  /** Functions that a Spark before the newest does not have. */
  private val newer = "listagg string_agg approx_top_k approx_top_k_accumulate " +
    "approx_top_k_combine theta_sketch_agg theta_union_agg theta_intersection_agg " +
    "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_merge_agg_bigint " +
    "kll_merge_agg_double kll_merge_agg_float tuple_sketch_agg_integer " +
    "tuple_sketch_agg_double tuple_union_agg_integer tuple_union_agg_double " +
    "tuple_intersection_agg_integer tuple_intersection_agg_double bitmap_and_agg counter_diff " +
    "collect_union kll_sketch_get_n_bigint"

  /**
   * Functions that fail within Spark's own operator where a frame has no row: before Spark 4.2 the
   * intersection of no sketches, and before 4.3 the most frequent of none.
   */
  private val failing = Seq("theta_intersection_agg").filterNot(_ => filtersInOver) ++
    Seq("approx_top_k_combine").filterNot(_ => isNewest)

  private val missing: Set[String] = failing.toSet ++ newer.split(' ').filterNot { name =>
    FunctionRegistry.builtin.listFunction().exists(_.funcName == name)
  }.toSet

  /** Whether the name of a table function may have that of a schema before it. */
  val qualifiesTableFunctions: Boolean =
    Try(CatalystSqlParser.parsePlan("SELECT * FROM a.b(1)")).isSuccess

  /** Whether ORDER BY knows the fields of a grouping's window under CUBE. */
  val ordersCubes: Boolean = filtersInOver

  /**
   * Whether a query with state knows its trigger before it starts, and its state Spark's reader.
   */
  val knowsTriggers: Boolean = ThisJar.SPARK != "4.0"

  /** Names of functions that a text calls. */
  def called(text: String): Set[String] =
    "\\b(\\w+)\\s*\\(".r.findAllMatchIn(text).map(_.group(1)).toSet

  def hasFunctionsOf(text: String): Boolean = !called(text).exists(missing) &&
    (hasSeveralBy || "(max|min)_by\\([^()]*,[^()]*, \\d\\)".r.findFirstIn(text).isEmpty) &&
    (correlatesConstants || !called(text)("corr"))

  /** Whether Spark's own operator runs aggregates with these calls. */
  def runsOver(text: String): Boolean =
    hasFunctionsOf(text) && (filtersInOver || !text.contains("FILTER"))

  /** Whether there is the type TIME. */
  def hasTime: Boolean = Try(CatalystSqlParser.parseDataType("TIME")).isSuccess
}

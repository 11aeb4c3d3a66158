package org.apache.spark.sql.muntin

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.muntin.spark.{DistinctEquality, FilterInOver}
import org.apache.spark.sql.types.DoubleType

/** The features of the Spark on which the tests run. */
object RunningSpark {

  /** The newest Spark has all features that the tests need. */
  val isNewest: Boolean = ThisJar.SPARK == "4.3"

  /**
   * Returns true if Spark's own operator accepts aggregates with FILTER in OVER: since Spark 4.2.
   */
  val filtersInOver: Boolean = FilterInOver.isSparks

  /**
   * Returns true if the sets and modes of a column of RandomTable treat the same values as equal as
   * count(DISTINCT) does. Before Spark 4.2, sets and modes of floating-point numbers do not.
   */
  def listsOnce(column: String): Boolean =
    DistinctEquality.areDistinct(DoubleType) || !Set("f", "x", "y", "wild", "wildf")(column)

  /** Before Spark 4.3 the correlation with a constant raises an error, and is not NULL. */
  private val correlatesConstants = isNewest

  /** Before Spark 4.3 the generated hash of an interval ignores its days. */
  val hashesDays: Boolean = isNewest

  /** Returns true if a catalog's SQL function may call a function of an extension. */
  val keepsFunctions: Boolean = filtersInOver

  /** Returns true if min_by and max_by accept a number of rows: since Spark 4.2. */
  private val hasSeveralBy = filtersInOver

  /** Functions that an older Spark does not have. */
  private val newer = "listagg string_agg approx_top_k approx_top_k_accumulate " +
    "approx_top_k_combine theta_sketch_agg theta_union_agg theta_intersection_agg " +
    "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_merge_agg_bigint " +
    "kll_merge_agg_double kll_merge_agg_float tuple_sketch_agg_integer " +
    "tuple_sketch_agg_double tuple_union_agg_integer tuple_union_agg_double " +
    "tuple_intersection_agg_integer tuple_intersection_agg_double bitmap_and_agg counter_diff " +
    "collect_union kll_sketch_get_n_bigint"

  /**
   * Functions that fail in Spark's own operator if a frame has no rows: before Spark 4.2 the
   * intersection of no sketches, and before 4.3 the most frequent of no values.
   */
  private val failing = Seq("theta_intersection_agg").filterNot(_ => filtersInOver) ++
    Seq("approx_top_k_combine").filterNot(_ => isNewest)

  private val missing: Set[String] = failing.toSet ++ newer.split(' ').filterNot { name =>
    FunctionRegistry.builtin.listFunction().exists(_.funcName == name)
  }.toSet

  /** Returns true if the name of a table function may be qualified by a schema. */
  val qualifiesTableFunctions: Boolean =
    Try(CatalystSqlParser.parsePlan("SELECT * FROM a.b(1)")).isSuccess

  /** Returns true if ORDER BY resolves the fields of a grouping's window under CUBE. */
  val ordersCubes: Boolean = filtersInOver

  /**
   * Returns true if a stateful query has its trigger before it starts, and if Spark's reader reads
   * its state.
   */
  val knowsTriggers: Boolean = ThisJar.SPARK != "4.0"

  /** Returns the names of the functions that a text calls. */
  def called(text: String): Set[String] =
    "\\b(\\w+)\\s*\\(".r.findAllMatchIn(text).map(_.group(1)).toSet

  def hasFunctionsOf(text: String): Boolean = !called(text).exists(missing) &&
    (hasSeveralBy || "(max|min)_by\\([^()]*,[^()]*, \\d\\)".r.findFirstIn(text).isEmpty) &&
    (correlatesConstants || !called(text)("corr"))

  /** Returns true if Spark's own operator runs aggregates with these calls. */
  def runsOver(text: String): Boolean =
    hasFunctionsOf(text) && (filtersInOver || !text.contains("FILTER"))

  /** Returns true if the type TIME exists. */
  def hasTime: Boolean = Try(CatalystSqlParser.parseDataType("TIME")).isSuccess
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry

/** What the Spark has that the tests run on. */
object RunningSpark {

  /** The newest Spark that the tests know has all that they ask for. */
  val isNewest: Boolean = ThisJar.SPARK == "4.3"

  /** Functions that a Spark before the newest does not have. */
  private val newer = "listagg string_agg approx_top_k approx_top_k_accumulate " +
    "approx_top_k_combine theta_sketch_agg theta_union_agg theta_intersection_agg " +
    "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_merge_agg_bigint " +
    "kll_merge_agg_double kll_merge_agg_float tuple_sketch_agg_integer " +
    "tuple_sketch_agg_double tuple_union_agg_integer tuple_union_agg_double " +
    "tuple_intersection_agg_integer tuple_intersection_agg_double bitmap_and_agg counter_diff " +
    "collect_union kll_sketch_get_n_bigint"

  private val missing: Set[String] = newer.split(' ').filterNot { name =>
    FunctionRegistry.builtin.listFunction().exists(_.funcName == name)
  }.toSet

  /** Names of functions that a text calls. */
  def called(text: String): Set[String] =
    "\\b(\\w+)\\s*\\(".r.findAllMatchIn(text).map(_.group(1)).toSet

  def hasFunctionsOf(text: String): Boolean =
    !called(text).exists(missing) && (isNewest || !"(max|min)_by\\(.*,.*, \\d\\)".r.matches(text))
}

package org.apache.spark.sql.muntin

/**
 * A function that a window may have: its call, and the equivalent call in a GROUP BY of stock
 * Spark. EveryFunctionSuite fails if a function of Spark or Muntin has no call here.
 *
 * @param call
 *   over the columns of RandomTable, and the columns that `EveryTable` adds
 * @param plain
 *   its equal in a GROUP BY, of the rows in their order
 * @param kind
 *   the windows in which it is allowed
 * @param equal
 *   the comparison of its values
 * @param shown
 *   the compared part of a value, `#`: for a sketch, its estimate
 */
final case class EveryFunction(
    call: String,
    plain: String,
    kind: EveryFunction.Kind = EveryFunction.Aggregate,
    equal: EveryFunction.Equal = EveryFunction.Exact,
    shown: String = "#"
) {

  /** Stock Spark rejects it in OVER. */
  def isGroupedAlone: Boolean =
    Seq("DISTINCT", "ORDER BY", "WITHIN GROUP", "mode", "median(d5").exists(call.contains) ||
      (!RunningSpark.filtersInOver && call.contains("FILTER"))

  /** The compared part of the value in this column. */
  def of(column: String): String =
    if (shown == "#") column else s"IF($column IS NULL, NULL, ${shown.replace("#", column)})"

  override def toString: String = call
}

object EveryFunction {
  sealed trait Kind

  /** In all windows. */
  case object Aggregate extends Kind

  /** In all frames of SQL. */
  case object Framed extends Kind

  /** In OVER without a frame: ranks and rows at a distance. */
  case object OfRow extends Kind

  /** In no window: it belongs to another part of SQL. */
  case object Elsewhere extends Kind

  sealed trait Equal

  /** Bit for bit. */
  case object Exact extends Equal

  /** Stock Spark rounds at every step. */
  case object Near extends Equal

  /** The elements of an array, whose order a GROUP BY does not define. */
  case object Elements extends Equal

  private def exact(calls: String*): Seq[EveryFunction] = calls.map(c => EveryFunction(c, c))

  private def near(calls: String*): Seq[EveryFunction] =
    calls.map(c => EveryFunction(c, c, equal = Near))

  private def elements(calls: String*): Seq[EveryFunction] =
    calls.map(c => EveryFunction(c, c, equal = Elements))

  private def shown(calls: (String, String)*): Seq[EveryFunction] =
    calls.map { case (c, shown) => EveryFunction(c, c, shown = shown) }

  private val counts = exact(
    "count(*)",
    "count(s)",
    "count(s, i32)",
    "count(*) FILTER (WHERE i32 > 0)",
    "count(DISTINCT s, flag)",
    "count_if(flag)",
    "regr_count(y, i32)",
    "completeness(i32)",
    "histogram(y, array(-100, 0, 2.5))",
    "histogram(s, array('a', 'b')) FILTER (WHERE flag)",
    "rate(id, id + 1 + abs(i8))"
  )

  private val sums = exact(
    "sum(i64)",
    "sum(d38)",
    "sum(d18) FILTER (WHERE flag)",
    "sum(ym)",
    "sum(y)",
    "sum(DISTINCT i8)",
    "try_sum(huge)",
    "avg(d5)",
    "avg(dt)",
    "avg(DISTINCT i32)",
    "try_avg(vast)"
  ) ++ near("sum(x)", "avg(f)")

  private val extremes = exact(
    "min(s)",
    "max(arr)",
    "min(st)",
    "max(y)",
    "min(d38)",
    "max(bin)",
    "max(i32) FILTER (WHERE flag)",
    "max(DISTINCT i16)",
    "min_by(s, id)",
    "max_by(x, id)",
    "max_by(s, id, 2)",
    "min_by(i32, id, 3)",
    "top_n(y, 3)",
    "bottom_n(s, 2)",
    "top_n(s, 2, id)",
    "bool_and(flag)",
    "bool_or(flag)",
    "bit_and(i32)",
    "bit_or(i64)",
    "bit_xor(i16)"
  )

  private val positions = exact(
    "first(s)",
    "first(i32, true)",
    "last(d5)",
    "last(id) FILTER (WHERE flag)",
    "last(st, true)",
    "any_value(i64)",
    "nth(s, 2)",
    "nth(id, 3) FILTER (WHERE flag)",
    "delta(id)",
    "delta(d5)",
    "pct_change(i32)",
    "pct_change(d5)",
    "counter_increase(i32)",
    "counter_increase(f)",
    "counter_increase(d5)",
    "counter_rate(i64, at)",
    "counter_rate(y, id, 10) FILTER (WHERE flag)",
    "time_weighted_avg(x, at)",
    "time_weighted_avg(i32, at, 'linear')"
  ) :+ EveryFunction("nth_value(s, 2)", "nth(s, 2)", Framed)

  private val moments = near(
    "var_pop(y)",
    "var_samp(DISTINCT i8)",
    "stddev_pop(x)",
    "stddev_samp(i32)",
    "skewness(y)",
    "kurtosis(i32)",
    "corr(i8, y)",
    "covar_pop(i8, y)",
    "covar_samp(i32, y)",
    "regr_avgx(y, i32)",
    "regr_avgy(y, i32)",
    "regr_intercept(y, i32)",
    "regr_r2(y, i32)",
    "regr_slope(y, i32)",
    "regr_sxx(y, i32)",
    "regr_sxy(y, i32)",
    "regr_syy(y, i32)"
  )

  private val decayed = near(
    "ewm_mean(y, half_life => 3)",
    "ewm_mean(x, alpha => 0.3, adjust => false)",
    "ewm_mean(i32, half_life => INTERVAL '20' SECOND, times => at)",
    "ewm_var(y, span => 9, ignore_na => true)",
    "ewm_std(i32, com => 2, min_periods => 3)",
    "ewm_cov(i8, y, alpha => 0.2D) FILTER (WHERE flag)",
    "ewm_corr(i8, y, half_life => 5, adjust => false)",
    "ewm_mean(y, half_life => '1 minute', times => at, adjust => false)"
  )

  private val lists = exact(
    "collect_list(id)",
    "collect_list(s)",
    "collect_list(id) FILTER (WHERE flag)",
    "listagg(s, '-')",
    "listagg(bin)",
    "listagg(s, ', ') WITHIN GROUP (ORDER BY s DESC)",
    "string_agg(DISTINCT s, '|') WITHIN GROUP (ORDER BY s)",
    "array_agg(s ORDER BY i32 DESC, id)",
    "first_value(s ORDER BY y NULLS LAST, id)",
    "max_by(s, i32 ORDER BY id DESC)",
    "last_value(id ORDER BY i32, id) FILTER (WHERE flag)"
  ) ++ elements(
    "collect_set(i8)",
    "collect_set(s)",
    "collect_list(DISTINCT i64)",
    "collect_union(arr)"
  )

  private val statistics = exact(
    "percentile(i32, 0.3D)",
    "percentile(y, array(0.9D, 0.1D))",
    "percentile(i32, 0.7D, 2)",
    "median(d5)",
    "percentile_approx(i32, array(0.9, 0.1))",
    "percentile_cont(0.4) WITHIN GROUP (ORDER BY y)",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY y DESC)",
    "mode(i8, true)",
    "mode() WITHIN GROUP (ORDER BY s DESC)",
    "approx_count_distinct(s)",
    "approx_count_distinct(i32, 0.2D)",
    "count_min_sketch(i32, 0.3D, 0.5D, 1)"
  ) ++ elements("approx_top_k(i8, 10)") ++
    // The bounds of its bars depend on the order of merges.
    shown("histogram_numeric(i8, 20)" -> "aggregate(#, 0D, (sum, bar) -> sum + bar.y)")

  private val sketches = shown(
    "hll_sketch_agg(i32)" -> "hll_sketch_estimate(#)",
    "hll_union_agg(hll)" -> "hll_sketch_estimate(#)",
    "theta_sketch_agg(i32)" -> "theta_sketch_estimate(#)",
    "theta_union_agg(theta)" -> "theta_sketch_estimate(#)",
    "theta_intersection_agg(theta)" -> "theta_sketch_estimate(#)",
    "kll_sketch_agg_bigint(i64)" -> "kll_sketch_get_n_bigint(#)",
    "kll_sketch_agg_double(y)" -> "kll_sketch_get_n_double(#)",
    "kll_sketch_agg_float(wildf)" -> "kll_sketch_get_n_float(#)",
    "kll_merge_agg_bigint(klli)" -> "kll_sketch_get_n_bigint(#)",
    "kll_merge_agg_double(klld)" -> "kll_sketch_get_n_double(#)",
    "kll_merge_agg_float(kllf)" -> "kll_sketch_get_n_float(#)",
    "tuple_sketch_agg_integer(i32, id)" -> "tuple_sketch_estimate_integer(#)",
    "tuple_sketch_agg_double(i32, y)" -> "tuple_sketch_estimate_double(#)",
    "tuple_union_agg_integer(tuplei)" -> "tuple_sketch_estimate_integer(#)",
    "tuple_union_agg_double(tupled)" -> "tuple_sketch_estimate_double(#)",
    "tuple_intersection_agg_integer(tuplei)" -> "tuple_sketch_estimate_integer(#)",
    "tuple_intersection_agg_double(tupled)" -> "tuple_sketch_estimate_double(#)",
    "approx_top_k_accumulate(i8)" -> "sort_array(approx_top_k_estimate(#, 10))",
    "approx_top_k_combine(top)" -> "sort_array(approx_top_k_estimate(#, 10))"
  ) ++ exact(
    "bitmap_construct_agg(bitmap_bit_position(abs(i32)))",
    "bitmap_or_agg(bits)",
    "bitmap_and_agg(bits)"
  )

  /**
   * User-defined: an Aggregator, an Aggregator that retracts rows, and Catalyst aggregates with and
   * without a merge.
   */
  private val users =
    exact("listing(coalesce(s, '?'))", "queue(coalesce(s, '?'))", "joined(s)", "opaque(i64)")

  private val partials = exact(
    "partial(sum(i64))",
    "partial(count(i8))",
    "partial(avg(d5))",
    "partial(max(i32))",
    "partial(first(s))",
    "merge_partial(sum(psum))",
    "merge_partial(max(pmax))",
    "merge_partial(first(pfirst))",
    "merge_partial(median(pmedian))",
    "intervals(sum(i32), id, id + 5)"
  ) ++ near("merge_partial(var_samp(pvar))")

  private val ofRows = Seq(
    "row_number()",
    "rank()",
    "dense_rank()",
    "percent_rank()",
    "cume_dist()",
    "ntile(3)",
    "lag(i32)",
    "lead(s, 2, s)",
    "lag(s, 2) IGNORE NULLS",
    "lead(i32) IGNORE NULLS",
    "counter_diff(i64)"
  ).map(c => EveryFunction(c, c, OfRow))

  private val elsewhere =
    Seq("grouping(k)", "grouping_id(k)").map(c => EveryFunction(c, c, Elsewhere))

  /** All functions, and the functions that only some Sparks have. */
  val known: Seq[EveryFunction] = counts ++ sums ++ extremes ++ positions ++ moments ++ decayed ++
    lists ++ statistics ++ sketches ++ users ++ partials ++ ofRows ++ elsewhere

  /** All functions of the running Spark. */
  val all: Seq[EveryFunction] = known.filter { f =>
    // Without OVER, stock Spark reads rows in any order.
    val isOrdered = Seq("nth(", "collect_list(", "array_agg(", "first(", "last(")
      .exists(f.call.startsWith) && f.call.contains("FILTER")
    RunningSpark.hasFunctionsOf(f.call) && (RunningSpark.filtersInOver || !isOrdered)
  }
}

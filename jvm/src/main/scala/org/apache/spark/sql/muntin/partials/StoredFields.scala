package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.types.{DataType, StructType}

/** Finds which aggregates can be finished from the components of a stored partial. */
object StoredFields {
  def holds(stored: StructType, partialField: PartialField): Boolean =
    stored.exists { field =>
      field.name == partialField.name &&
      DataType.equalsIgnoreNullability(field.dataType, partialField.dataType)
    }

  /** Lists the components that an aggregate requires of a partial, for errors. */
  def required(stored: StructType, layouts: Seq[PartialLayout]): String =
    if (layouts.isEmpty) "the state cannot be stored"
    else layouts.map(_.partialFields.map(described(stored, _)).mkString(", ")).mkString(", or ")

  private def described(stored: StructType, partialField: PartialField): String =
    if (stored.exists(_.name == partialField.name) && !holds(stored, partialField)) {
      s"${partialField.name} of the type ${partialField.dataType.sql}"
    } else partialField.name

  private val finalizers: Seq[(Set[String], String)] = Seq(
    Set("count") -> "count",
    Set("count", "sum") -> "sum, avg",
    Set("count", "sum", "sum2") -> "var_*, stddev_*",
    Set("count", "sum", "sum2", "sum3") -> "skewness",
    Set("count", "sum", "sum2", "sum3", "sum4") -> "kurtosis",
    Set("pairs", "sum_x", "sum_y") -> "regr_count, regr_avgx, regr_avgy",
    Set("pairs", "sum_x", "sum_y", "sum_xy", "sum_x2", "sum_y2") -> "corr, covar_*, regr_*",
    Set("min") -> "min, bool_and",
    Set("max") -> "max, bool_or",
    Set("count_if") -> "count_if",
    Set("values") -> "percentiles, median, mode, min, max, count, DISTINCT",
    Set("list") -> "collect_list, listagg",
    Set("list_with_nulls") -> "collect_list RESPECT NULLS",
    Set("set") -> "collect_set",
    Set("set_with_nulls") -> "collect_set RESPECT NULLS"
  )

  /** Lists the aggregates that a partial supports. */
  def finishedBy(stored: StructType): String = {
    val names = stored.fieldNames.toSet
    val usual = finalizers.collect { case (needed, by) if needed.subsetOf(names) => by }
    val standardFields = finalizers.flatMap(_._1).toSet
    (usual ++ stored.fieldNames.filterNot(standardFields)).mkString(", ")
  }
}

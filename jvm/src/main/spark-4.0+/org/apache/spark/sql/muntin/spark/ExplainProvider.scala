package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.ExtendedExplainGenerator

/** Text that Spark adds to EXPLAIN and to the UI, after the plan. */
trait ExplainProvider extends ExtendedExplainGenerator

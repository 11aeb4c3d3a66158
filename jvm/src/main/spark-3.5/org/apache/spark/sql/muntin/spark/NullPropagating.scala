package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, NullIntolerant}

/** An expression that is null if one of its inputs is null. */
trait NullPropagating extends NullIntolerant { self: Expression => }

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

/** Parser methods that differ between Spark versions. */
private[spark] trait MoreParsing extends ParserInterface with OtherParser {
  override def parsePlanWithParameters(text: String, parameters: ParameterContext): LogicalPlan =
    orExtended(parent.parsePlanWithParameters(text, parameters)) { own =>
      BoundParameters(own.parsePlan(text), parameters)
    }

  override def parseRoutineParam(text: String): StructType = parent.parseRoutineParam(text)
}

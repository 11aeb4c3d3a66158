package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.types.StructType

/** Methods of later Sparks' parsers. */
private[spark] trait MoreParsing extends ParserInterface with OtherParser {
  override def parseRoutineParam(text: String): StructType = parent.parseRoutineParam(text)
}

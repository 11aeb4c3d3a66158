package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** What parsers of later Sparks have besides. */
private[spark] trait MoreParsing extends ParserInterface with OtherParser

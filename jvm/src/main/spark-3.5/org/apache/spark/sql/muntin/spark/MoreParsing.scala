package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** Methods of later Sparks' parsers. */
private[spark] trait MoreParsing extends ParserInterface with OtherParser

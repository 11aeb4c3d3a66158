package org.apache.spark.sql.muntin.plans.refresh

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._

/**
 * What a refresh reads of a Parquet footer.
 *
 * @param rows
 *   the number of rows
 * @param ranges
 *   the least and greatest value of columns with statistics
 */
private[refresh] final case class Footer(rows: Long, ranges: Map[String, Footer.Range]) {

  /** Returns false if the file has no value in these bounds. */
  def mayHave(bound: ColumnBound): Boolean = ranges.get(bound.column).forall { range =>
    !range.isOf(bound.dataType) ||
    (range.greatest >= bound.least && range.least <= bound.greatest)
  }
}

private[refresh] object Footer {

  /** The least and greatest value of a column, as Parquet stores them. */
  final case class Range(physical: PrimitiveType, least: Long, greatest: Long) {

    /** Returns true if Spark reads the integers as values of `dataType`, in the same unit. */
    def isOf(dataType: DataType): Boolean =
      (dataType, physical.getPrimitiveTypeName, physical.getLogicalTypeAnnotation) match {
        case (_: IntegralType, INT32 | INT64, null) => true
        case (_: IntegralType, INT32 | INT64, int: IntLogicalTypeAnnotation) => int.isSigned
        // Older programs wrote dates before 1900 in another calendar.
        case (DateType, INT32, _: DateLogicalTypeAnnotation) => least >= DaysOf1900
        case (TimestampType, INT64, time: TimestampLogicalTypeAnnotation) =>
          time.isAdjustedToUTC && isMicros(time)
        case (TimestampNTZType, INT64, time: TimestampLogicalTypeAnnotation) =>
          !time.isAdjustedToUTC && isMicros(time)
        case _ => false
      }

    private def isMicros(time: TimestampLogicalTypeAnnotation): Boolean =
      time.getUnit == LogicalTypeAnnotation.TimeUnit.MICROS && least >= DaysOf1900 * MicrosOfDay
  }

  private val DaysOf1900 = -25567L
  private val MicrosOfDay = 86400000000L

  def read(path: Path, conf: Configuration): Footer = {
    val options = HadoopReadOptions.builder(conf, path).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
    try {
      val blocks = reader.getFooter.getBlocks.asScala.toSeq
      Footer(blocks.map(_.getRowCount).sum, rangesOf(blocks))
    } finally reader.close()
  }

  private def rangesOf(blocks: Seq[BlockMetaData]): Map[String, Range] = {
    val chunks = blocks.flatMap(_.getColumns.asScala).filter(_.getPath.size == 1)
    for {
      (name, ofColumn) <- chunks.groupBy(_.getPath.toArray.head)
      ranges = ofColumn.map(rangeOf)
      if !ranges.contains(None)
    } yield name -> ranges.flatten.reduce((a, b) =>
      a.copy(least = math.min(a.least, b.least), greatest = math.max(a.greatest, b.greatest))
    )
  }

  private def rangeOf(chunk: ColumnChunkMetaData): Option[Range] = {
    val statistics: Statistics[_] = chunk.getStatistics
    if (statistics == null || !statistics.hasNonNullValue) None
    else {
      (statistics.genericGetMin, statistics.genericGetMax) match {
        case (least: Number, greatest: Number) if isInteger(chunk.getPrimitiveType) =>
          Some(Range(chunk.getPrimitiveType, least.longValue, greatest.longValue))
        case _ => None
      }
    }
  }

  private def isInteger(physical: PrimitiveType): Boolean =
    physical.getPrimitiveTypeName == INT32 || physical.getPrimitiveTypeName == INT64
}

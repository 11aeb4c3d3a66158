package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory
import org.apache.spark.HashPartitioner
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/** Pairs the rows of each partition with all marks. */
private[streaming] object MarkedRows {
  def apply(
      rows: RDD[InternalRow],
      marks: RDD[InternalRow]
  ): RDD[(Array[Long], Iterator[InternalRow])] = {
    val partitions = rows.getNumPartitions
    val repeated = marks
      .mapPartitions { found =>
        val times = found.map(_.getLong(0)).toArray
        if (times.isEmpty) Iterator.empty else Iterator.tabulate(partitions)((_, times))
      }
      .partitionBy(new HashPartitioner(partitions))
    rows.zipPartitions(repeated) { (ofGroups, times) =>
      Iterator.single((times.flatMap(_._2).toArray, ofGroups))
    }
  }

  def column(memory: Memory, marks: Array[Long]): LongColumn = {
    val made = new LongColumn(memory, nullable = false)
    made.addReader(Column.RetainAll)
    marks.foreach(made.append)
    made
  }
}

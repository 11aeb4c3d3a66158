package org.apache.spark.sql.execution.streaming

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark 4.1 moved to this package. */
package object checkpointing {
  type CommitLog = before.CommitLog
  type CommitMetadata = before.CommitMetadata
  type OffsetSeq = before.OffsetSeq
  type OffsetSeqLog = before.OffsetSeqLog
  type OffsetSeqMetadata = before.OffsetSeqMetadata

  val OffsetSeqMetadata = before.OffsetSeqMetadata
  val OffsetSeq = before.OffsetSeq
  val CommitMetadata = before.CommitMetadata
}

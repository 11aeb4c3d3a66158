package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow

/** Picks the rows of a chunk and of its halo, in one pass over rows that come as `A`. */
private[split] trait ChunkPicks[A] {

  /** What the chunk takes of it; null where that is nothing. */
  def of(rows: A): A
}

/** Rows come one by one. */
private[split] final class RowPicks(chunk: ChunkRows) extends ChunkPicks[InternalRow] {
  override def of(row: InternalRow): InternalRow = if (chunk.takes(row)) row else null
}

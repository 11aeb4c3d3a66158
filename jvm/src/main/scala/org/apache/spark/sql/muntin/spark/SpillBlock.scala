package org.apache.spark.sql.muntin.spark

import java.io.{File, InputStream, OutputStream}

import org.apache.spark.SparkEnv
import org.apache.spark.storage.BlockId

/** A temporary file of the DiskBlockManager, compressed and encrypted like a spill. */
final case class SpillBlock(block: BlockId, file: File) {
  def write(to: OutputStream): OutputStream = SparkEnv.get.serializerManager.wrapStream(block, to)

  def read(from: InputStream): InputStream = SparkEnv.get.serializerManager.wrapStream(block, from)
}

object SpillBlock {
  def create(): SpillBlock = {
    val (block, file) = SparkEnv.get.blockManager.diskBlockManager.createTempLocalBlock()
    SpillBlock(block, file)
  }
}

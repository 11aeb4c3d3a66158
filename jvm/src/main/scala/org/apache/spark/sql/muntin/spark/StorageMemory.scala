package org.apache.spark.sql.muntin.spark

import org.apache.spark.SparkEnv
import org.apache.spark.storage.{BlockId, StorageLevel}
import org.apache.spark.util.KnownSizeEstimation

/**
 * Stores objects of this process in Spark's storage memory, each as a block like a cached table's.
 * Spark drops blocks when it needs memory.
 */
object StorageMemory {

  /** The key of a stored object. */
  final case class Place private (block: BlockId)

  object Place {
    def apply(group: String, name: String): Place = new Place(CacheBlock(group, name))
  }

  /** An object with an estimate of its size. */
  private final class Sized(val value: AnyRef, override val estimatedSize: Long)
      extends KnownSizeEstimation

  // Missing if the context has stopped while a task still runs.
  private def env: Option[SparkEnv] = Option(SparkEnv.get)

  /** Returns the free bytes of the memory that tasks and blocks share. */
  def free: Long = env.fold(0L) { env =>
    val memory = env.memoryManager
    memory.maxOnHeapStorageMemory - memory.onHeapStorageMemoryUsed
  }

  def holds(place: Place): Boolean =
    env.exists(_.blockManager.memoryStore.contains(place.block))

  def get(place: Place): Option[AnyRef] = synchronized {
    env.flatMap(_.blockManager.getLocalValues(place.block)).flatMap { block =>
      // Read to the end, so that Spark releases its lock.
      block.data.toSeq.collectFirst { case sized: Sized => sized.value }
    }
  }

  /** Stores an object of this size. Returns false if there is not enough room. */
  def put(place: Place, value: AnyRef, bytes: Long): Boolean = env.exists(
    _.blockManager.putSingle(
      place.block,
      new Sized(value, bytes),
      StorageLevel.MEMORY_ONLY,
      tellMaster = false
    )
  )

  // Spark logs a warning if the block does not exist. If two tasks lock and remove one block at the
  // same time, Spark may give the second task the lock of the removed block, and fail.
  def remove(place: Place): Unit = synchronized {
    if (holds(place)) env.foreach(_.blockManager.removeBlock(place.block, tellMaster = false))
  }
}

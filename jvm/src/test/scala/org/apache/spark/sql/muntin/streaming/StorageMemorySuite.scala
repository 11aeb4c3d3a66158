package org.apache.spark.sql.muntin.streaming

import java.util.UUID

import org.apache.spark.SparkEnv
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.muntin.spark.StorageMemory

final class StorageMemorySuite extends MuntinSession {
  test("a task that outlives its context does not get storage memory") {
    val place = StorageMemory.Place(s"muntin-${UUID.randomUUID}", "0-0")
    val env = SparkEnv.get
    assert(StorageMemory.free > 0L && StorageMemory.put(place, "here", 100L))
    assert(StorageMemory.get(place).contains("here"))
    SparkEnv.set(null)
    try {
      assert(StorageMemory.free === 0L && WarmStore.free === 0L)
      assert(!StorageMemory.holds(place) && StorageMemory.get(place).isEmpty)
      assert(!StorageMemory.put(place, "there", 100L))
      StorageMemory.remove(place)
      assert(WarmStore.bytes >= 0L)
    } finally SparkEnv.set(env)
    assert(StorageMemory.holds(place))
    StorageMemory.remove(place)
    assert(!StorageMemory.holds(place))
  }

  test("two tasks may remove one block at the same time") {
    val place = StorageMemory.Place(s"muntin-${UUID.randomUUID}", "0-1")
    spark.sparkContext.parallelize(Seq(1, 2), 2).foreach { _ =>
      (1 to 5000).foreach { _ =>
        StorageMemory.put(place, "here", 100L): Unit
        StorageMemory.get(place): Unit
        StorageMemory.remove(place)
      }
    }
    assert(!StorageMemory.holds(place))
  }
}

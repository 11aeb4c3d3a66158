package io.muntin.kernel

import scala.collection.mutable

import io.muntin.kernel.memory.PageStore
import org.scalatest.Assertions

/** A store of pages that records its calls. */
final class MemoryPages extends PageStore with Assertions {
  private val pages = mutable.HashMap.empty[Long, Array[Byte]]
  private var count = 0
  private var readings = 0

  /** The number of written pages. */
  def written: Int = count

  /** The number of reads. */
  def read: Int = readings

  /** The number of existing pages. */
  def held: Int = pages.size

  override def write(bytes: Array[Byte], inMemory: Long): Long = {
    assert(inMemory > 0L)
    pages(count.toLong) = bytes.clone
    count += 1
    count - 1L
  }

  override def read(place: Long): Array[Byte] = {
    readings += 1
    pages(place)
  }

  override def free(place: Long): Unit = {
    assert(pages.remove(place).isDefined)
    ()
  }
}

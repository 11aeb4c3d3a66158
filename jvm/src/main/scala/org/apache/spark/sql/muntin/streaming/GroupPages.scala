package org.apache.spark.sql.muntin.streaming

/** Where the rows of groups lie that are in no head: pages of each group, by number. */
trait GroupPages {

  /** A page that has been put. */
  def page(group: Array[Byte], number: Long): Array[Byte]

  /** Writes a page; how many bytes it takes in the store. */
  def putPage(group: Array[Byte], number: Long, page: StateOutput): Long

  /** Drops a page, which took `taken` bytes in the store. */
  def removePage(group: Array[Byte], number: Long, taken: Long): Unit
}

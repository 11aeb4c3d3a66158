package org.apache.spark.sql.muntin.streaming

/** Stores the rows of groups that are not in the group's head: pages of each group, by number. */
trait GroupPages {

  /** Returns a page that `putPage` has written. */
  def page(group: Array[Byte], number: Long): Array[Byte]

  /** Writes a page. Returns how many bytes it takes in the store. */
  def putPage(group: Array[Byte], number: Long, page: StateOutput): Long

  /** Drops a page, which took `storedBytes` bytes in the store. */
  def removePage(group: Array[Byte], number: Long, storedBytes: Long): Unit
}

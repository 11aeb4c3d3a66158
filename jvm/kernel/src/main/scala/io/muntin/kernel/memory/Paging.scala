package io.muntin.kernel.memory

/**
 * The store of column pages that do not fit into memory. Each page is written once, read when
 * needed, and released.
 */
trait PageStore {

  /** Stores the bytes, which took `inMemory` bytes in memory. Returns their place. */
  def write(bytes: Array[Byte], inMemory: Long): Long

  def read(place: Long): Array[Byte]

  /** Drops the page at this place. */
  def free(place: Long): Unit
}

/**
 * The spillable structures of a task, and their settings.
 *
 * @param rows
 *   the maximum number of rows of a page
 * @param least
 *   a column of fewer rows stays in memory
 * @param isForced
 *   for tests: columns of that many rows do not request more memory
 */
final class Paging(
    val store: PageStore,
    val rows: Int = Paging.Rows,
    val least: Int = Paging.Least,
    val isForced: Boolean = false
) {
  private var all: Array[Paged] = Array.empty

  private[kernel] def add(paged: Paged): Unit = all = all :+ paged

  private[kernel] def remove(paged: Paged): Unit = all = all.filterNot(_ eq paged)

  /**
   * Makes one structure release memory. Returns true if one did. Randomly accessed structures are
   * last, since they would be read back at once.
   */
  def giveUp(): Boolean = giveUp(inOrder = true) || giveUp(inOrder = false)

  /**
   * Requests memory, which other structures release, while it `isNeeded`: the request may spill the
   * structure that it was to enlarge. Returns true if it was granted.
   */
  private[kernel] def ask(memory: Memory, bytes: Long)(isNeeded: => Boolean): Boolean = {
    var isGranted = memory.tryAcquire(bytes)
    while (!isGranted && isNeeded && giveUp()) isGranted = isNeeded && memory.tryAcquire(bytes)
    isGranted
  }

  /** Makes one structure that is read in order release memory. */
  private[kernel] def giveUpInOrder(): Boolean = giveUp(inOrder = true)

  private def giveUp(inOrder: Boolean): Boolean = {
    var found: Paged = null
    var most = 0L
    var i = 0
    while (i < all.length) {
      val spare = if (all(i).isReadInOrder == inOrder) all(i).spareBytes else 0L
      if (spare > most) {
        found = all(i)
        most = spare
      }
      i += 1
    }
    found != null && found.giveUp()
  }
}

object Paging {
  val Rows: Int = 4096

  /** The maximum number of rows of a page, for a randomly accessed column. */
  private[kernel] val ScatteredRows: Int = 512
  val Least: Int = 256
}

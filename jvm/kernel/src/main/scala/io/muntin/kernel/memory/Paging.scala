package io.muntin.kernel.memory

/**
 * The store of column pages that do not fit into memory: each page is written once, read when it is
 * needed again, and released.
 */
trait PageStore {

  /** Keeps the bytes; where they are. `inMemory` is how many they took there. */
  def write(bytes: Array[Byte], inMemory: Long): Long

  def read(place: Long): Array[Byte]

  /** What is there is not needed any more. */
  def free(place: Long): Unit
}

/**
 * What the columns of a task that may go to disk have in common, and all else of it that may.
 *
 * @param rows
 *   how many rows a page has at most
 * @param least
 *   a column of fewer rows stays in memory
 * @param isForced
 *   columns that have as many rows do not ask for more memory: for tests
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
   * Has one give up some of its memory to others; whether one could. What is looked at here and
   * there only where there is nothing else, since that comes back at once.
   */
  def giveUp(): Boolean = giveUp(inOrder = true) || giveUp(inOrder = false)

  /**
   * Requests memory, which other consumers release, while it `isNeeded`: the request may evict the
   * structure that it was to enlarge. Returns true if it was granted.
   */
  private[kernel] def ask(memory: Memory, bytes: Long)(isNeeded: => Boolean): Boolean = {
    var isGranted = memory.tryAcquire(bytes)
    while (!isGranted && isNeeded && giveUp()) isGranted = isNeeded && memory.tryAcquire(bytes)
    isGranted
  }

  /** Has one give up memory that is read in order. */
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

  /** The same of a column that is read here and there. */
  private[kernel] val ScatteredRows: Int = 512
  val Least: Int = 256
}

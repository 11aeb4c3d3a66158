package io.muntin.kernel.memory

import java.util

/**
 * Pages each of which is one object, by numbers that they are given. Where memory is short, and the task has a
 * disk, those go there that nobody has looked at for a while; who looks at one brings it back, in the
 * place of others where there still is no memory.
 *
 * @param fewest
 *   so many stay in memory
 * @param areWritten
 *   who looks at a page may write to it: what is on disk of it holds only until then
 *
 * Cost per look: a test; where some are on disk, a mark. 25 bytes beside each page. Guarded by SortedBlocksSuite,
 * FrozenRingSuite and AlignedTreeSuite.
 */
private[kernel] abstract class ObjectPages[P <: AnyRef](
    memory: Memory,
    fewest: Int,
    areWritten: Boolean
) extends PageCache(memory.paging.orNull, 0)
    with Paged {
  import ObjectPages._
  import PageCache.None

  private val paging = memory.paging.orNull
  // By number: null where the page is on disk, or where there is none.
  private var pages = new Array[AnyRef](0)
  // Numbers from here on have not been given; of those that have come back the first, and by each the next.
  private var fresh = 0
  private var unused = None
  private var inMemory = 0
  private var away = 0
  private var held = 0L

  if (paging != null) paging.add(this)

  protected def write(page: P): Array[Byte]

  protected def read(bytes: Array[Byte]): P

  /** The page of a number, until somebody asks for memory. */
  final def page(number: Int): P = {
    if (away > 0) {
      marks(number) = true
      if (pages(number) == null) comeBack(number)
    }
    pages(number).asInstanceOf[P]
  }

  final def isInMemory(number: Int): Boolean = pages(number) != null

  /** Keeps a page that takes so many bytes; its number. */
  final def keep(page: P, bytes: Long): Int = {
    reserve()
    acquire(bytes)
    add(page, bytes)
  }

  /** Makes room for the next page's number. */
  protected final def reserve(): Unit = if (unused == None && fresh == pages.length) {
    val room = math.max(InitialRoom, 2 * pages.length)
    memory.acquire(DirectoryBytes * room)
    memory.release(DirectoryBytes * pages.length)
    val before = pages.length
    pages = util.Arrays.copyOf(pages, room)
    resizeTables(room)(System.arraycopy(_, 0, _, 0, before))
  }

  /** Asks for the memory of a page that comes. */
  protected final def acquire(bytes: Long): Unit = {
    if (paging != null && paging.isForced && inMemory > fewest) giveUp(): Unit
    memory.acquire(bytes)
  }

  /** The same as `keep`, where there is room, and the bytes are there. */
  protected final def add(page: P, bytes: Long): Int = {
    val number = if (unused == None) fresh else unused
    if (unused == None) fresh += 1 else unused = weights(number).toInt
    pages(number) = page
    weights(number) = bytes
    marks(number) = true
    inMemory += 1
    held += bytes
    number
  }

  /** The page, which is in memory, takes so many bytes more, which are there, or less. */
  final def grow(number: Int, bytes: Long): Unit = {
    weights(number) += bytes
    held += bytes
  }

  final def dropPage(number: Int): Unit = {
    val bytes = weights(number)
    if (take(number) != null) memory.release(bytes)
  }

  /** Takes a page out, with the bytes that it has in memory; null where it is on disk. */
  protected final def take(number: Int): P = {
    val page = pages(number)
    if (page == null) away -= 1
    else {
      inMemory -= 1
      held -= weights(number)
    }
    free(number)
    pages(number) = null
    weights(number) = unused.toLong
    unused = number
    page.asInstanceOf[P]
  }

  private def comeBack(number: Int): Unit = {
    val bytes = weights(number)
    if (isReadInOrder || inMemory <= fewest) acquire(bytes)
    else if (paging.isForced || !memory.tryAcquire(bytes)) {
      var freed = 0L
      while (freed < bytes && inMemory > fewest) freed += putOut()
      if (freed >= bytes) memory.release(freed - bytes)
      else {
        memory.release(freed)
        memory.acquire(bytes)
      }
    }
    bringBack(number)
    if (areWritten) free(number)
    away -= 1
    inMemory += 1
    held += bytes
  }

  /** Puts a page on disk; what it took in memory, which is not given back yet. */
  private def putOut(): Long = {
    val number = leastUsed()
    putOut(number)
    weights(number)
  }

  override protected def seats: Int = fresh

  override protected def pageAt(seat: Int): Int = if (pages(seat) == null) None else seat

  override protected def toBytes(number: Int): Array[Byte] = write(pages(number).asInstanceOf[P])

  override protected def fromBytes(number: Int, bytes: Array[Byte]): Unit =
    pages(number) = read(bytes)

  override protected def vacate(number: Int): Unit = {
    pages(number) = null
    away += 1
    inMemory -= 1
    held -= weights(number)
  }

  override private[kernel] def spareBytes: Long =
    if (paging == null || inMemory <= fewest) 0L else held / 2

  override private[kernel] def giveUp(): Boolean = {
    val before = held
    while (held > before / 2 && inMemory > fewest) memory.release(putOut())
    memory.trim()
    held < before
  }

  /** Gives all memory back, of no page. */
  protected final def closePages(): Unit = {
    memory.release(DirectoryBytes * pages.length)
    pages = new Array[AnyRef](0)
    fresh = 0
    unused = None
    if (paging != null) paging.remove(this)
  }
}

private[kernel] object ObjectPages {
  private val InitialRoom = 8
  val DirectoryBytes: Long = 25L
}

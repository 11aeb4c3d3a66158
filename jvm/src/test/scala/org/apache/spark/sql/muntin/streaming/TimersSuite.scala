package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite

/** Timers in pages, compared with a map from each group to its timer. */
final class TimersSuite extends MuntinSuite {
  import TimersSuite._

  /** Sets and visits like a stream: one Timers for each micro-batch, all over the same pages. */
  private final class Groups {
    val pages = new Pages
    // The last timer of each group, as in its head.
    private val heads = mutable.Map.empty[Int, Timer]
    private var batch = 0L
    private var timers = new Timers(pages, batch)

    private def isLast(timer: Timer) = heads.get(number(timer.group)).exists(_.batch == timer.batch)

    def set(
        group: Int,
        time: Long,
        isOpen: Boolean = false,
        openedAt: Option[Long] = None
    ): Unit = {
      val batch = timers.set(time, id(group), isOpen, openedAt)
      heads(group) = Timer(time, id(group), batch, isOpen, openedAt)
    }

    def remove(group: Int): Unit = heads.remove(group): Unit

    def visited(bound: Long, isMarked: Boolean = false, openedBy: Option[Long] = None): Seq[Int] =
      timers.dueTimers(bound, isMarked, openedBy)(isLast).filter(isLast).map(t => number(t.group))

    def expected(bound: Long, isMarked: Boolean, openedBy: Option[Long]): Set[Int] = heads.collect {
      case (group, t)
          if t.time <= bound || (isMarked && t.isOpen) ||
            openedBy.exists(clock => t.openedAt.exists(_ <= clock)) => group
    }.toSet

    def end(): Unit = {
      timers.write()
      batch += 1L
      timers = new Timers(pages, batch)
    }

    def oldestClock: Long = timers.oldestClock(isLast)

    def oldest: Long = heads.values.flatMap(_.openedAt).minOption.getOrElse(Long.MaxValue)

    def timer(group: Int): Option[Timer] = heads.get(group)
  }

  for (seed <- 1 to 40) test(s"random groups: $seed") {
    val random = new Random(seed.toLong)
    val hasClock = seed % 3 == 0
    val groups = new Groups
    var bound = 0L
    def setAnew(group: Int): Unit =
      groups.set(
        group,
        bound + 1L + random.nextInt(if (random.nextInt(9) == 0) 100000 else 300),
        random.nextInt(4) == 0,
        Option.when(hasClock && random.nextBoolean())(random.nextInt(1000).toLong)
      )
    for (_ <- 1 to 30) {
      // Rows of some groups arrive, in any order of the groups.
      random.shuffle((0 until 400).toList).take(random.nextInt(300)).foreach { group =>
        if (random.nextInt(10) == 0) groups.remove(group) else setAnew(group)
      }
      groups.end()
      bound += random.nextInt(200)
      val isMarked = random.nextInt(5) == 0
      val openedBy = Option.when(hasClock && random.nextBoolean())(random.nextInt(1000).toLong)
      val expected = groups.expected(bound, isMarked, openedBy)
      val visited = groups.visited(bound, isMarked, openedBy)
      assert(visited.size === visited.toSet.size)
      assert(visited.toSet === expected)
      val times = visited.map(g => groups.timer(g).get.time)
      assert(times === times.sorted)
      // A due timer is removed; the visit may set another timer.
      visited.foreach { group =>
        if (groups.timer(group).exists(_.time <= bound)) {
          if (random.nextInt(3) == 0) groups.remove(group) else setAnew(group)
        }
      }
      groups.end()
      assert(groups.oldestClock === groups.oldest)
    }
  }

  test("pages without a due timer are not read, and few are written") {
    val groups = new Groups
    (0 until 10000).foreach(g => groups.set(g, 1000L + (g * 7919L) % 10000L))
    groups.end()
    val all = groups.pages.size
    val bytes = 10000L * Entry
    assert(all >= bytes / (Timers.PageBytes + Entry) && all <= bytes / Timers.PageBytes + 1)
    for (bound <- 1100L until 11000L by 100L) {
      groups.pages.written = 0
      groups.visited(bound).foreach(groups.remove)
      groups.end()
      assert(groups.pages.written <= 2, s"at $bound")
    }
    groups.visited(11000L): Unit
    groups.end()
    assert(groups.pages.size === 0)
  }

  test("a replaced timer has no effect, and is removed when it is due") {
    val groups = new Groups
    groups.set(1, 10L)
    groups.end()
    groups.set(1, 5L)
    groups.set(2, 20L)
    groups.end()
    assert(groups.visited(4L) === Nil)
    assert(groups.visited(5L) === Seq(1))
    groups.set(1, 30L)
    groups.end()
    assert(groups.visited(10L) === Nil)
    groups.end()
    assert(groups.visited(30L) === Seq(2, 1))
    groups.end()
    assert(groups.pages.size === 0)
  }

  test("if marks read the timers of all open groups, replaced timers are removed") {
    val groups = new Groups
    for (batch <- 1 to 300) {
      groups.set(1, 1000L + batch, isOpen = true)
      groups.end()
      assert(groups.visited(0L, isMarked = true) === Seq(1))
      groups.end()
    }
    assert(groups.pages.bytes <= 2 * Entry)
  }
}

private object TimersSuite {

  /** The bytes of a timer, for a group of four. */
  private val Entry = 8 + 8 + 1 + 4 + 4

  private def id(group: Int): Array[Byte] = java.nio.ByteBuffer.allocate(4).putInt(group).array

  private def number(id: Array[Byte]): Int = java.nio.ByteBuffer.wrap(id).getInt

  /** Pages in memory, in their order. */
  private final class Pages extends TimerPages {
    private val pages = mutable.TreeMap.empty[(Long, Long), Array[Byte]]
    var written = 0

    def size: Int = pages.size

    def bytes: Int = pages.values.map(_.length).sum

    override def putTimers(least: Long, number: Long, bytes: Array[Byte], size: Int): Unit = {
      assert(!pages.contains((least, number)), "numbers of pages are unique")
      pages((least, number)) = bytes.take(size)
      written += 1
    }

    override def removeTimers(least: Long, number: Long): Unit =
      assert(pages.remove((least, number)).isDefined)

    override def visitTimers(next: (Long, Long, Array[Byte]) => Boolean): Unit =
      pages.iterator.takeWhile { case ((least, number), bytes) => next(least, number, bytes) }
        .foreach(_ => ())
  }
}

package io.muntin.kernel.motions

/**
 * The motion of a frame with holes: rows between its ends that are not in the frame (SQL's EXCLUDE;
 * peers that arrived later). A hole is a pair of edges: its first row, and the position after its
 * last row. Holes are in order. Every edge only moves forward, and so do the ends of the pieces
 * between them: each piece is a contiguous window.
 *
 *     lower        hole         hole      upper
 *       [o o o o o) . . . [o o) . . [o o o)
 *
 * Accumulators that take rows in any order are driven with all pieces at once. For others there is
 * one accumulator for each piece (`pieces`), and the function combines them.
 *
 * Cost per row: a search for each edge, amortised one step, and the rows by which the holes have
 * changed. Guarded by PiecedMotionSuite, against frames computed from the definition.
 */
final class PiecedMotion(lower: Edge, upper: Edge, holes: Array[Edge], inside: CompleteFrames)
    extends RowMotion {
  require(holes.length % 2 == 0, "a hole has two edges")

  private val at = new Array[Long](holes.length)
  private var lo = 0L
  private var upperEnd = 0L
  private var hi = 0L
  private var current = -1L
  private var arrivals = 0L
  private var complete = true
  private var isBoundKnown = false
  private var split = false
  private var keepsFrame = true

  private val parts: Array[Piece] = Array.fill(holes.length / 2 + 1)(new Piece)

  /** Returns the motions of the pieces, in order. Their accumulators read rows of the frame. */
  def pieces: Seq[Motion] = {
    split = true
    parts.toSeq
  }

  override def close(): Unit = {
    super.close()
    parts.foreach(_.close())
  }

  override def evicts: Boolean = true

  // Rows in or after a hole have arrived with the row itself, if the frame ends there.
  override val isImmediate: Boolean = upper.isImmediate && inside.isImmediate

  override def hasResult: Boolean = complete

  override def start: Long = lo

  override def end: Long = hi

  override def size: Long = {
    var rows = 0L
    var i = 0
    while (i < parts.length) {
      rows += parts(i).size
      i += 1
    }
    rows
  }

  override def floor: Long = {
    var oldest = if (keepsFrame) lo else parts(0).end
    oldest = math.min(oldest, math.max(current, 0L))
    var i = 0
    while (i < at.length) {
      oldest = math.min(oldest, at(i))
      i += 1
    }
    // The edges of the frame are searched from their current positions.
    math.min(oldest, if (lower eq UnboundedStart) hi else lo)
  }

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    upperEnd = first
    current = first - 1L
    arrivals = first
    complete = true
    isBoundKnown = false
    // If rows never leave at the start, rows before the first hole are no longer read.
    keepsFrame = (lower ne UnboundedStart) || split || readsFrame
    lower.startPartition(first)
    upper.startPartition(first)
    var i = 0
    while (i < holes.length) {
      holes(i).startPartition(first)
      at(i) = first
      i += 1
    }
    i = 0
    while (i < parts.length) {
      parts(i).startPartition(first)
      i += 1
    }
    clear()
  }

  override def origins: Seq[Long] = parts.toSeq.flatMap(_.origins)

  override def resume(origins: Seq[Long]): Unit =
    parts.filter(_.origins.nonEmpty).zip(origins).foreach { case (part, at) => part.resume(at) }

  override def setBound(isKnown: Boolean): Unit = {
    if (isBoundKnown && !isKnown) {
      lower.forget()
      upper.forget()
      holes.foreach(_.forget())
    }
    isBoundKnown = isKnown
  }

  override def oldestNeeded(arrived: Long): Long =
    math.min(lower.seek(lo, arrived, arrived), arrived)

  override def arrive(arrived: Long): Unit = arrivals = arrived

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = {
    upperEnd = upper.seek(upperEnd, row, arrived)
    ended || (inside.isKnown(row, arrived) && !isOpen(row, arrived))
  }

  private def isOpen(row: Long, arrived: Long): Boolean =
    if (isBoundKnown) upper.isOpenBefore(upperEnd, row, arrived)
    else upper.isOpen(upperEnd, row, arrived)

  override def advance(row: Long): Boolean = {
    lo = math.min(lower.seek(lo, row, upperEnd), upperEnd)
    hi = upperEnd
    var i = 0
    while (i < holes.length) {
      at(i) = holes(i).seek(at(i), row, upperEnd)
      i += 1
    }
    var changed = row == 0L
    i = 0
    while (i < parts.length) {
      val from = if (i == 0) lo else within(at(2 * i - 1))
      val until = if (i == parts.length - 1) hi else within(at(2 * i))
      if (parts(i).aim(from, math.max(from, until))) changed = true
      i += 1
    }
    move()
    current = row
    val before = complete
    complete = inside.holds(row, arrivals)
    changed || before != complete
  }

  private def within(position: Long): Long = math.max(lo, math.min(hi, position))

  // First rows leave all pieces, since a row that leaves a piece may enter another.
  private def move(): Unit = {
    var i = 0
    while (i < parts.length) {
      val p = parts(i)
      val until = math.min(p.nextStart, p.end)
      if (p.start < until) leave(p.start, until)
      i += 1
    }
    i = 0
    while (i < parts.length) {
      val p = parts(i)
      enter(math.max(p.nextStart, p.end), p.nextEnd)
      p.move()
      i += 1
    }
  }
}

/** A contiguous part of a frame. PiecedMotion moves it. */
private final class Piece extends Motion {
  private var from = 0L
  private var until = 0L
  private var origin = 0L
  private var newFrom = 0L
  private var newUntil = 0L

  override def evicts: Boolean = true
  override def start: Long = from
  override def end: Long = until
  override def floor: Long = from

  def nextStart: Long = newFrom
  def nextEnd: Long = newUntil

  override def startPartition(): Unit = startPartition(0L)

  def startPartition(first: Long): Unit = {
    from = first
    until = first
    newFrom = first
    newUntil = first
    clear()
    begin(first)
  }

  // As in FrameMotion.
  private def begin(at: Long): Unit = {
    origin = at
    align(at)
  }

  def origins: Seq[Long] = if (hasBlocks) Seq(origin) else Nil

  def resume(at: Long): Unit = if (from < until) begin(at)

  override def arrive(arrived: Long): Unit = ()

  /** Sets its next rows. Returns true if they differ. */
  def aim(start: Long, end: Long): Boolean = {
    newFrom = start
    newUntil = end
    (start != from || end != until) && (start < end || from < until)
  }

  def move(): Boolean = {
    val changed = newFrom != from || newUntil != until
    if (newFrom >= until) {
      if (until > from) clear()
      begin(newFrom)
      enter(newFrom, newUntil)
    } else {
      if (newFrom > from) leave(from, newFrom)
      enter(until, newUntil)
    }
    from = newFrom
    until = newUntil
    changed
  }
}

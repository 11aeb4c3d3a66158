package io.muntin.kernel

/**
 * A motion with windows of its own making, as many as it finds in the rows of a group: as rows arrive,
 * `next` for as long as it finds one.
 */
abstract class GroupMotion extends Motion {

  /**
   * Moves to the next window that is answered, if it can be told from the rows before `arrived`;
   * `ended` says that no more rows will arrive. Each `next` after that which said no begins where the
   * rows have come to since.
   */
  def next(arrived: Long, ended: Boolean): Boolean
}

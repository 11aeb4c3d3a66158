package io.muntin.kernel.fields

/**
 * Where the windows along a field lie: they are `size` wide (without one they never close) and open
 * at offset + k * advance for each integer k (without `advance`: at the first row that finds none
 * open). Each also has a result `every` so far behind its opening. At the first row and after a gap
 * of `size` the latest window opens, or with `all` each that contains the row.
 */
final case class FieldSteps[N](
    size: Option[N],
    advance: Option[N],
    offset: N,
    every: Option[N],
    all: Boolean
) {
  def map[M](f: N => M): FieldSteps[M] =
    FieldSteps(size.map(f), advance.map(f), f(offset), every.map(f), all)
}

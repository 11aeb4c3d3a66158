package io.muntin.kernel.fields

/**
 * The windows along a field: they are `size` wide (without a size they never close), and open at
 * offset + k * advance for each integer k (without `advance`: at each row that is in no open
 * window). Each also has a result at every multiple of `every` after its opening. At the first row
 * and after a gap of `size`, the latest window opens, or with `all` each window that contains the
 * row.
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

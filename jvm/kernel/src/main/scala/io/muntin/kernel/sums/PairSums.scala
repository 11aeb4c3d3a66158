package io.muntin.kernel.sums

/**
 * The exact sums of x, y, x y and, if required, x^2 and y^2 over pairs of doubles, with removal;
 * and the linear statistics computed from them, each within an ulp of its exact value.
 *
 * The final computation is in integers, as in PowerSums: with x in units of u and y in units of v,
 *
 * {{{
 * Dxy = n Sxy - Sx Sy,  Dxx = n Sxx - Sx^2,  Dyy = n Syy - Sy^2
 * correlation = Dxy / sqrt(Dxx Dyy),  slope = Dxy / Dxx,  r2 = Dxy^2 / (Dxx Dyy)
 * intercept = (Sy Dxx - Sx Dxy) / (n Dxx)
 * }}}
 *
 * and only the last quotient is in double-doubles.
 *
 * A moment of x is NaN while an x is NaN or infinite; a moment of x and y is NaN while any x or y
 * is.
 *
 * Cost per row, for any frame: 40 ns to add and subtract without squares, 65 ns with both; 80 ns to
 * read a covariance, 175 ns a correlation; more for values of very different magnitude. Guarded by
 * PairSumsSuite.
 */
final class PairSums(squaresOfX: Boolean, squaresOfY: Boolean, room: Int = Chunks.Room)
    extends JointSums(PairSums.powers(squaresOfX, squaresOfY), room) {
  private val xs = sums(0)
  private val ys = sums(1)
  private val products = sums(2)
  private val xSquares = if (squaresOfX) sums(3) else null
  private val ySquares = if (squaresOfY) sums(sums.length - 1) else null

  private val sumOfX = new LoadedSum(xs)
  private val sumOfY = new LoadedSum(ys)
  private val dxy = new Determinant(sumOfX, sumOfY, products)
  private val dxx = if (squaresOfX) new Determinant(sumOfX, sumOfX, xSquares) else null
  private val dyy = if (squaresOfY) new Determinant(sumOfY, sumOfY, ySquares) else null

  /** How many x are NaN or infinite; `nonFiniteY` is the same for y. */
  final def nonFiniteX: Long = xs.nonFinite
  final def nonFiniteY: Long = ys.nonFinite

  private def isFinite: Boolean = xs.nonFinite == 0L && ys.nonFinite == 0L

  final def add(x: Double, y: Double): Unit = {
    change(x, y, 0L)
    changed(1L)
  }

  final def subtract(x: Double, y: Double): Unit = {
    change(x, y, -1L)
    changed(-1L)
  }

  private def change(x: Double, y: Double, direction: Long): Unit = {
    xs.change(x, direction)
    ys.change(y, direction)
    val xBits = java.lang.Double.doubleToRawLongBits(x)
    val yBits = java.lang.Double.doubleToRawLongBits(y)
    val xFinite = Chunks.isFinite(xBits)
    val yFinite = Chunks.isFinite(yBits)
    val a = Chunks.significand(xBits)
    val b = Chunks.significand(yBits)
    val p = Chunks.position(xBits)
    val q = Chunks.position(yBits)
    if (xFinite && yFinite && a != 0L && b != 0L) {
      val sign = direction ^ ((xBits ^ yBits) >> 63)
      products.change(p + q, Math.multiplyHigh(a, b), a * b, sign)
    }
    if (squaresOfX && xFinite && a != 0L)
      xSquares.change(2 * p, Math.multiplyHigh(a, a), a * a, direction)
    if (squaresOfY && yFinite && b != 0L)
      ySquares.change(2 * q, Math.multiplyHigh(b, b), b * b, direction)
  }

  override protected def align(): Unit = {
    sumOfX.forget()
    sumOfY.forget()
    dxy.forget()
    if (squaresOfX) dxx.forget()
    if (squaresOfY) dyy.forget()
    val x = xs.base
    val y = ys.base
    if (
      !xs.begins(x) || !ys.begins(y) || !products.begins(x + y) ||
      (squaresOfX && !xSquares.begins(2 * x)) ||
      (squaresOfY && !ySquares.begins(2 * y))
    ) alignAll()
  }

  private def alignAll(): Unit = {
    var x = least(JointSums.None, xs, 1)
    if (squaresOfX) x = least(x, xSquares, 2)
    if (x == JointSums.None) x = 0
    var y = least(JointSums.None, ys, 1)
    if (squaresOfY) y = least(y, ySquares, 2)
    if (y == JointSums.None) y = 0
    // The products may begin lower than the sums of x and y, if these cancel.
    val first = least(JointSums.None, products, 1)
    x -= math.min(x, math.max(0, x + y - first))
    y = math.min(y, first - x)
    xs.beginAt(x)
    ys.beginAt(y)
    products.beginAt(x + y)
    if (squaresOfX) xSquares.beginAt(2 * x)
    if (squaresOfY) ySquares.beginAt(2 * y)
  }

  /**
   * Restores `count` pairs from this object's sums, or from all sums: of x, y, x y, x^2 and y^2.
   */
  final override def restore(count: Long, saved: Array[ChunkSum]): Unit =
    super.restore(count, if (squaresOfX || saved.length < 5) saved else saved.updated(3, saved(4)))

  final def xMean: Double = xs.mean(count)

  final def yMean: Double = ys.mean(count)

  /** Returns true if all x are equal. */
  final def isConstantX: Boolean = xs.nonFinite == 0L && find(dxx).isZero

  /** Returns true if all y are equal. */
  final def isConstantY: Boolean = ys.nonFinite == 0L && find(dyy).isZero

  /** The sum of the products of the deviations. */
  final def ck: Double = overCount(1L)

  /** ck over the count minus `ddof`; NaN if the divisor is 0. */
  final def covariance(ddof: Int): Double = overCount(count - ddof)

  private def overCount(divisor: Long): Double =
    if (isFinite) quotient(dxy, divisor) else Double.NaN

  /** The sum of the squared deviations of x. */
  final def sxx: Double =
    if (xs.nonFinite == 0L) quotient(dxx, 1L) else Double.NaN

  /** The sum of the squared deviations of y. */
  final def syy: Double =
    if (ys.nonFinite == 0L) quotient(dyy, 1L) else Double.NaN

  /** NaN if x or y is constant. */
  final def correlation: Double =
    if (!isFinite) Double.NaN
    else {
      numerator.set(find(dyy))
      denominator.set(find(dxx))
      denominator.multiply(numerator)
      denominator.squareRoot()
      numerator.set(find(dxy))
      numerator.divide(denominator)
      // The exact value never exceeds 1; the last bit may.
      math.max(-1.0, math.min(1.0, numerator.toDouble(0)))
    }

  /** NaN if x or y is constant. */
  final def r2: Double =
    if (!isFinite) Double.NaN
    else {
      numerator.set(find(dyy))
      denominator.set(find(dxx))
      denominator.multiply(numerator)
      term.setProduct(find(dxy), find(dxy))
      numerator.set(term)
      numerator.divide(denominator)
      math.min(1.0, numerator.toDouble(0))
    }

  /** The slope of the regression of y on x. NaN if x is constant. */
  final def slope: Double =
    if (!isFinite) Double.NaN
    else {
      numerator.set(find(dxy))
      denominator.set(find(dxx))
      numerator.divide(denominator)
      numerator.toDouble(ys.exponent - xs.exponent)
    }

  /** The intercept of the regression of y on x. NaN if x is constant. */
  final def intercept: Double =
    if (!isFinite) Double.NaN
    else {
      val xy = find(dxy)
      total.setProduct(sumOfY.find(), find(dxx))
      term.setProduct(sumOfX.find(), xy)
      total.subtract(term)
      numerator.set(total)
      denominator.set(find(dxx))
      denominator.multiply(count)
      numerator.divide(denominator)
      numerator.toDouble(ys.exponent)
    }

  private def quotient(d: Determinant, divisor: Long): Double = {
    divide(d, divisor)
    numerator.toDouble(d.exponent)
  }
}

private object PairSums {

  /** The powers of x, y, x y and, if required, x^2 and y^2. */
  private def powers(squaresOfX: Boolean, squaresOfY: Boolean): Seq[Int] =
    Seq(1, 1, 2) ++ Seq(squaresOfX, squaresOfY).filter(identity).map(_ => 2)
}

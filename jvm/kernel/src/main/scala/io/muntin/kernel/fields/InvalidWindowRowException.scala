package io.muntin.kernel.fields

/**
 * The error of a row that is not in any window, or whose window its type cannot hold: the name of
 * an error condition, and its parameters except for the function and the row.
 */
final class InvalidWindowRowException(val condition: String, val parameters: Map[String, String])
    extends IllegalArgumentException(parameters.mkString(s"$condition: ", ", ", ""))

object InvalidWindowRowException {

  /** Returns the error for a null in the argument `parameter` of a window, which is `field`. */
  def missing(parameter: String, field: String): InvalidWindowRowException =
    new InvalidWindowRowException(
      "MUNTIN_NULL_WINDOW_FIELD",
      Map("parameter" -> parameter, "field" -> field)
    )
}

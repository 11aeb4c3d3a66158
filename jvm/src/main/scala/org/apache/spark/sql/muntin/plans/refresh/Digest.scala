package org.apache.spark.sql.muntin.plans.refresh

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

private[refresh] object Digest {

  /** Returns the SHA-256 of a text, in hexadecimal digits. */
  def apply(text: String): String =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).map(b => f"$b%02x").mkString
}

package io.muntin

object Muntin {
  val version: String = "0.1.0"
}

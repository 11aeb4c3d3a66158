package io.muntin.kernel

/** A row that a motion cannot take: thrown from `arrive`, of the row that arrived last. */
final class RefusedRow(val parameter: String, why: String) extends IllegalArgumentException(why)

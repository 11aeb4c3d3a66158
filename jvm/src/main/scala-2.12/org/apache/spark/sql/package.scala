package org.apache.spark.sql

/** A package's own package object is visible without an import. */
package object muntin extends muntin.Scala213

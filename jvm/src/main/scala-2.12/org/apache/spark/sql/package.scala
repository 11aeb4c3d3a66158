package org.apache.spark.sql

/** A package sees what is in its own package object without an import. */
package object muntin extends muntin.Scala213

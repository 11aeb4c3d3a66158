package org.apache.spark.sql.muntin

package object aggregates extends Scala213

package object conf extends Scala213

package object expressions extends Scala213

package object parsing extends Scala213

package object partials extends Scala213

package object spark extends Scala213

package object streaming extends Scala213

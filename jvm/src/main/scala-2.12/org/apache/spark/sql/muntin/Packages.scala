package org.apache.spark.sql.muntin

package object aggregates extends Scala213

package object conf extends Scala213

package object errors extends Scala213

package object expressions extends Scala213

package object parsing extends Scala213

package object partials extends Scala213

package object spark extends Scala213

package object streaming extends Scala213

package expressions {
  package object common extends Scala213

  package object internal extends Scala213
}

package plans {
  package object anchored extends Scala213

  package object asof extends Scala213

  package object checks extends Scala213

  package object dialect extends Scala213

  package object groups extends Scala213

  package object logical extends Scala213

  package object over extends Scala213

  package object physical extends Scala213

  package object refresh extends Scala213

  package object streams extends Scala213
}

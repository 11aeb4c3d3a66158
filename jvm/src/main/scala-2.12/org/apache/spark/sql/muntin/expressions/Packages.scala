package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.Scala213

package object common extends Scala213

package object internal extends Scala213

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.muntin.Scala213

package object anchored extends Scala213

package object asof extends Scala213

package object checks extends Scala213

package object dialect extends Scala213

package object groups extends Scala213

package object logical extends Scala213

package object over extends Scala213

package object physical extends Scala213

package object streams extends Scala213

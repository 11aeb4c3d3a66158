package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.muntin.Scala213

package object anchored extends Scala213

package object asof extends Scala213

package object frames extends Scala213

package object functions extends Scala213

package object groups extends Scala213

package object over extends Scala213

package object panes extends Scala213

package object rows extends Scala213

package object sort extends Scala213

package object split extends Scala213

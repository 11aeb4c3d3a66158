package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.plans.WarnSettings

/** The warning of a setting that there is not: once, with the setting that was meant. */
final class WarnSettingsSuite extends MuntinSession {
  test("a setting with another name, and one that there is") {
    val said = Warnings.of(WarnSettings.getClass) {
      withConf(
        "spark.muntin.over.enable" -> "false",
        "spark.muntin.panes.enabled" -> "false",
        "spark.other.setting" -> "1"
      ) {
        spark.range(1).count(): Unit
        spark.range(2).count(): Unit
      }
    }
    assert(said === Seq(
      "There is no setting spark.muntin.over.enable, and it changes nothing. Is it " +
        "spark.muntin.over.enabled?"
    ))
  }
}

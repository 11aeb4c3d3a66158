package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.errors.ErrorConditions
import org.apache.spark.sql.muntin.plans.checks.WarnSettings

/** The warning of an unknown setting: once, with the nearest setting. */
final class WarnSettingsSuite extends MuntinSession {
  private def unknown(wrong: String, right: String): String =
    ErrorConditions("MUNTIN_UNKNOWN_SETTING").message(
      Map("setting" -> s"spark.muntin.$wrong", "suggestion" -> s"spark.muntin.$right")
    )

  test("an unknown setting, and an existing setting") {
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
    assert(said === Seq(unknown("over.enable", "over.enabled")))
  }

  test("SET warns immediately, and only once") {
    def said(command: String) = Warnings.of(WarnSettings.getClass)(spark.sql(command))
    try {
      assert(said("SET spark.muntin.asof.enable") === Nil)
      assert(said("SET spark.muntin.asof.enable=false") ===
        Seq(unknown("asof.enable", "asof.enabled")))
      assert(said("SET spark.muntin.asof.enable=true") === Nil)
      assert(said("SET spark.muntin.asof.enabled=true") === Nil)
      assert(said("SELECT 1") === Nil)
    } finally {
      spark.conf.unset("spark.muntin.asof.enable")
      spark.conf.unset("spark.muntin.asof.enabled")
    }
  }

  test("the switch of the whole jar, in the options of a session of a running application") {
    val session = spark.newSession()
    session.sessionState.conf.setConfString("spark.muntin.enabled", "false")
    val said = Warnings.of(WarnSettings.getClass) {
      session.withActive(session.range(1).count())
    }
    assert(said.size === 1)
    assert(said.head.startsWith("[MUNTIN_SETTING_OF_APPLICATION] "))
  }

  test("every declared setting is known") {
    val source = Path.of("src", "main", "scala", "org", "apache", "spark", "sql", "muntin", "conf")
    val text = Files.readString(source.resolve("MuntinConf.scala"))
    val declared = "= entry\\(\"([\\w.]+)\"".r.findAllMatchIn(text).map(_.group(1)).toSet
    assert(declared.size > 20)
    assert(MuntinConf.names === declared)
  }
}

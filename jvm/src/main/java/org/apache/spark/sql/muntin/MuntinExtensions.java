package org.apache.spark.sql.muntin;

import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * Adds Muntin to a session. Spark finds this class itself, through META-INF/services, in every
 * session that has the jar on its class path; spark.sql.extensions may name it as well.
 *
 * <p>On a Spark that the jar was not built for, or that lacks parts that the jar uses, it warns
 * once and does nothing. So it is written in Java, for Java 8 and later, and uses only the parts
 * that every Spark and every Scala has, until it has checked that the jar fits.
 *
 * <p>{@code spark.muntin.enabled=false} in the settings of the application, or
 * {@code MUNTIN_ENABLED=false} in the environment of the driver, turns the whole jar off: Spark then
 * loads only this class of the jar.
 */
public final class MuntinExtensions implements SparkSessionExtensionsProvider {
    private static final Logger log = LoggerFactory.getLogger(MuntinExtensions.class);
    private static final AtomicBoolean warned = new AtomicBoolean();

    // Defined here as well as in MuntinConf: no other class may be loaded to read the switch.
    static final String SETTING = "spark.muntin.enabled";
    static final String VARIABLE = "MUNTIN_ENABLED";

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        String switchedOff = switchedOff();
        if (switchedOff == null) {
            applyOn(org.apache.spark.package$.MODULE$.SPARK_VERSION(), extensions);
        } else if (warned.compareAndSet(false, true)) {
            log.info(switchedOff);
        }
        return BoxedUnit.UNIT;
    }

    static void applyOn(String running, SparkSessionExtensions extensions) {
        String whyOff = whyOff(running);
        if (whyOff == null) {
            Activation.applyOnce(extensions);
        } else {
            warn(whyOff, null);
        }
    }

    /** Returns why the user's switch turns Muntin off, or null if the switch is on. */
    public static String switchedOff() {
        Option<SparkContext> context = org.apache.spark.SparkContext$.MODULE$.getActive();
        String setting = context.isEmpty() ? null : context.get().getConf().get(SETTING, null);
        return switchedOff(setting, System.getenv(VARIABLE));
    }

    /** Muntin is off if either value is set and is not true: a value with a typo turns it off, too. */
    static String switchedOff(String setting, String variable) {
        boolean isOn = isOn(setting);
        if (isOn && isOn(variable)) {
            return null;
        }
        String name = isOn ? "environment variable `" + VARIABLE : "setting `" + SETTING;
        String off = "Muntin is turned off by the " + name + "=" + (isOn ? variable : setting).trim();
        return message("MUNTIN_TURNED_OFF", off + "`. To turn Muntin on, set it to `true` or remove it, "
            + "and start the application again.");
    }

    /**
     * Returns the text of an error condition. The conditions are in error-conditions.json, too; the
     * class that reads this file may not load on another Spark.
     */
    static String message(String condition, String text) {
        return "[" + condition + "] " + text + " SQLSTATE: 55000";
    }

    private static boolean isOn(String value) {
        return value == null || value.trim().isEmpty() || value.trim().equalsIgnoreCase("true");
    }

    /** Returns why Muntin does nothing in the running Spark, or null if it works. */
    static String whyOff(String running) {
        String whyNot = ThisJar.whyNot(running);
        return whyNot == null ? SparkReferences.whyOff(running) : whyNot;
    }

    /** Logs why Muntin is turned off, once for all sessions. */
    static void warn(String message, Throwable cause) {
        if (warned.compareAndSet(false, true)) {
            log.warn(message, cause);
        }
    }
}

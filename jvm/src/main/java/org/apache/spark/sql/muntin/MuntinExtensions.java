package org.apache.spark.sql.muntin;

import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * The door by which Muntin comes into a session. Spark finds it itself, through META-INF/services,
 * in every session that has the jar on its class path; spark.sql.extensions may name it as well.
 *
 * <p>On a Spark that the jar was not built for, or that lacks what the jar uses of it, it warns
 * once and does nothing. So it is in Java,
 * for Java 8 and later, and leans on nothing but what every Spark and every Scala has, until it
 * knows that the jar fits.
 */
public final class MuntinExtensions implements SparkSessionExtensionsProvider {
    private static final Logger log = LoggerFactory.getLogger(MuntinExtensions.class);
    private static final AtomicBoolean warned = new AtomicBoolean();

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        applyOn(org.apache.spark.package$.MODULE$.SPARK_VERSION(), extensions);
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

    /** Why Muntin does nothing in the Spark that is running, or null where it works. */
    static String whyOff(String running) {
        String whyNot = ThisJar.whyNot(running);
        return whyNot == null ? SparkReferences.whyOff(running) : whyNot;
    }

    /** Says why Muntin is turned off, once, however many sessions there are. */
    static void warn(String message, Throwable cause) {
        if (warned.compareAndSet(false, true)) {
            log.warn(message, cause);
        }
    }
}

package org.apache.spark.sql.muntin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Scanner;

/**
 * What the jar is, and whether it is for the Spark that is running. In Java, and of the JDK alone:
 * it answers on any Spark, with any Scala.
 */
public final class ThisJar {

    /** The version of Muntin. */
    public static final String VERSION = version();

    /** The minor version of Spark that the jar was built for. */
    public static final String SPARK = BuiltFor.SPARK;

    /** The minor version of Scala that the jar was built with. */
    public static final String SCALA = BuiltFor.SCALA;

    private ThisJar() {}

    /** Whether the jar was built for the minor version of Spark that {@code running} belongs to. */
    public static boolean fits(String running) {
        return minorOf(running).equals(SPARK);
    }

    /** Why Muntin does nothing on {@code running}, or null where the jar fits. */
    public static String whyNot(String running) {
        return whyNot(running, System.getProperty("java.specification.version"));
    }

    static String whyNot(String running, String java) {
        if (!fits(running)) {
            return ofOther(running);
        }
        // Up to Java 8 there is a "1." in front; a class of a later Java's methods would load.
        int number = Integer.parseInt(java.startsWith("1.") ? java.substring(2) : java);
        return number < BuiltFor.JAVA ? ofOlder(java) : null;
    }

    private static String ofOlder(String java) {
        return "Muntin " + VERSION + " is turned off: on Spark " + SPARK + " it needs Java "
            + BuiltFor.JAVA + " or later, and this is Java " + java + ". Queries run as they would "
            + "without Muntin.";
    }

    private static String ofOther(String running) {
        return "Muntin " + VERSION + " is turned off: this jar was built for Spark " + SPARK
            + ", and Spark " + running + " is running. Use the jar whose name begins with muntin-spark-"
            + minorOf(running) + ", where there is one.";
    }

    private static String minorOf(String version) {
        int dot = version.indexOf('.');
        int end = version.indexOf('.', dot + 1);
        return end < 0 ? version : version.substring(0, end);
    }

    private static String version() {
        try (InputStream file = ThisJar.class.getResourceAsStream("/io/muntin/version");
            Scanner scanner = new Scanner(file, "UTF-8")) {
            return scanner.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

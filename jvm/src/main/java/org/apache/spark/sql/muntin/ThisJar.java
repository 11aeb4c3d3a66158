package org.apache.spark.sql.muntin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Scanner;

/**
 * The versions of the jar, and whether it is for the running Spark. It is written in Java and uses
 * only the JDK, so it works on any Spark, with any Scala.
 */
public final class ThisJar {

    private static final String VERSION_FILE = "io/muntin/version";

    /** The version of Muntin. */
    public static final String VERSION = version();

    /** The minor version of Spark that the jar was built for. */
    public static final String SPARK = BuiltFor.SPARK;

    /** The minor version of Scala that the jar was built with. */
    public static final String SCALA = BuiltFor.SCALA;

    private ThisJar() {}

    /** Returns true if the jar was built for the minor version of the Spark {@code running}. */
    public static boolean fits(String running) {
        return minorOf(running).equals(SPARK);
    }

    /** Returns why Muntin does nothing on {@code running}, or null if the jar fits. */
    public static String whyNot(String running) {
        return whyNot(running, System.getProperty("java.specification.version"));
    }

    static String whyNot(String running, String java) {
        if (!fits(running)) {
            return ofOther(running);
        }
        // Up to Java 8 the version begins with "1.".
        int number = Integer.parseInt(java.startsWith("1.") ? java.substring(2) : java);
        return number < BuiltFor.JAVA ? ofOlder(java) : null;
    }

    /** Returns the error for a start of Muntin that failed. */
    static String failed() {
        return off("MUNTIN_FAILED_TO_START", "it failed to start. The log of the driver shows the "
            + "cause.");
    }

    static String off(String condition, String reason) {
        String off = "Muntin " + VERSION + " is turned off, because ";
        return MuntinExtensions.message(condition, off + reason);
    }

    private static String ofOlder(String java) {
        return off("MUNTIN_UNSUPPORTED_JAVA", "it requires Java " + BuiltFor.JAVA + " or later on "
            + "Spark " + SPARK + ", and this is Java " + java + ". Start Spark with a later Java.");
    }

    private static String ofOther(String running) {
        return ofOther(running, jarNamed(nameOfJar(running), ThisJar.class.getClassLoader()));
    }

    private static String nameOfJar(String running) {
        return "muntin-spark-" + minorOf(running);
    }

    /** Returns the error on another Spark; {@code shadowed} is the right jar, or null. */
    static String ofOther(String running, URL shadowed) {
        String reason =
            "this jar was built for Spark " + SPARK + ", and Spark " + running + " is running. ";
        return shadowed == null
            ? off("MUNTIN_JAR_FOR_OTHER_SPARK", reason + "Use a jar whose name begins with "
                + nameOfJar(running) + ".")
            : off("MUNTIN_JAR_BEFORE_RIGHT_JAR", reason + "The class path contains the right jar, "
                + shadowed.getPath() + ", after this jar. Remove this jar.");
    }

    /** Returns the loader's Muntin jar whose name begins with this prefix, or null. */
    static URL jarNamed(String name, ClassLoader loader) {
        try {
            for (URL file : Collections.list(loader.getResources(VERSION_FILE))) {
                String path = file.getPath();
                int end = path.indexOf("!/");
                String jar = end < 0 ? path : path.substring(0, end);
                if (jar.substring(jar.lastIndexOf('/') + 1).startsWith(name)) {
                    return new URL(jar);
                }
            }
            return null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String minorOf(String version) {
        int dot = version.indexOf('.');
        int end = version.indexOf('.', dot + 1);
        return end < 0 ? version : version.substring(0, end);
    }

    private static String version() {
        try (InputStream file = ThisJar.class.getResourceAsStream("/" + VERSION_FILE);
            Scanner scanner = new Scanner(file, "UTF-8")) {
            return scanner.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

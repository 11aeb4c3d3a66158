package org.apache.spark.sql.muntin;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The declarations and the references of a class file, read without loading the class. It is
 * written in Java and uses only the JDK, because the build also runs it, to write the list that
 * {@link SparkReferences} compares.
 *
 * <p>Names of classes contain slashes. A method is written {@code name(arguments)result} and a
 * field {@code name:type}, with the descriptors of the class file (JVMS 4). Static members begin
 * with {@code "static "}.
 */
public final class ClassFile {
    private static final int PUBLIC_OR_PROTECTED = 0x0001 | 0x0004;
    private static final int STATIC = 0x0008;
    private static final int INTERFACE = 0x0200;
    private static final int ABSTRACT = 0x0400;

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int INTERFACE_METHOD = 11;

    /** The name of the class. */
    public final String name;

    /** True if it is an interface. */
    public final boolean isInterface;

    /** True if it is abstract. */
    public final boolean isAbstract;

    /** The super class, if there is one, and then the interfaces. */
    public final List<String> supers = new ArrayList<>();

    /** The fields and methods visible to subclasses, and whether each is abstract. */
    public final Map<String, Boolean> members = new HashMap<>();

    private final byte[] bytes;
    private final int[] constants;

    /** Reads the class file. */
    public ClassFile(byte[] bytes) {
        this.bytes = bytes;
        constants = new int[number(8)];
        int at = 10;
        for (int i = 1; i < constants.length; i++) {
            constants[i] = at;
            int tag = bytes[at];
            at += sizeOf(tag, at);
            if (tag == 5 || tag == 6) {
                i++; // a long or a double counts twice
            }
        }
        int access = number(at);
        isInterface = (access & INTERFACE) != 0;
        isAbstract = (access & ABSTRACT) != 0;
        name = className(number(at + 2));
        if (number(at + 4) != 0) {
            supers.add(className(number(at + 4)));
        }
        int interfaces = number(at + 6);
        at += 8;
        for (int i = 0; i < interfaces; i++, at += 2) {
            supers.add(className(number(at)));
        }
        readMembers(readMembers(at, ":"), "");
    }

    private int sizeOf(int tag, int at) {
        switch (tag) {
            case UTF8:
                return 3 + number(at + 1);
            case CLASS: case 8: case 16: case 19: case 20:
                return 3;
            case 15:
                return 4;
            case 5: case 6:
                return 9;
            default:
                return 5;
        }
    }

    private int readMembers(int start, String between) {
        int at = start + 2;
        for (int left = number(start); left > 0; left--) {
            int access = number(at);
            if ((access & PUBLIC_OR_PROTECTED) != 0) {
                String member = text(number(at + 2)) + between + text(number(at + 4));
                boolean isStatic = (access & STATIC) != 0;
                members.put(isStatic ? "static " + member : member, (access & ABSTRACT) != 0);
            }
            int attributes = number(at + 6);
            at += 8;
            for (int i = 0; i < attributes; i++) {
                at += 6 + (number(at + 2) << 16 | number(at + 4));
            }
        }
        return at;
    }

    /**
     * The classes that the code refers to, each followed by a space and a member if the code refers
     * to one. Members are without {@code "static "}, because references do not contain it.
     */
    public Set<String> references() {
        Set<String> found = new LinkedHashSet<>();
        for (int at : constants) {
            int tag = bytes[at];
            if (at > 0 && tag == CLASS) {
                found.add(text(number(at + 1)));
            } else if (at > 0 && tag >= FIELD && tag <= INTERFACE_METHOD) {
                int named = constants[number(at + 3)];
                String between = tag == FIELD ? ":" : "";
                String member = text(number(named + 1)) + between + text(number(named + 3));
                found.add(className(number(at + 1)) + " " + member);
            }
        }
        return found;
    }

    private int number(int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    private String className(int constant) {
        return text(number(constants[constant] + 1));
    }

    private String text(int constant) {
        int at = constants[constant];
        return new String(bytes, at + 3, number(at + 1), StandardCharsets.UTF_8);
    }
}

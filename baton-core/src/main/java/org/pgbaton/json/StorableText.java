package org.pgbaton.json;

import java.nio.charset.StandardCharsets;

/** Refuses texts that PostgreSQL cannot store, before they cost the caller a transaction. */
public final class StorableText {
    private static final int LONGEST_KEY = 1000;

    private StorableText() {}

    /** @return the key, which is not too long */
    public static String key(String key) {
        int length = checked("key", key).getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_KEY) {
            throw new IllegalArgumentException("The key '" + key.substring(0, 40) + "…' has " + length
                    + " bytes in UTF-8: give at most " + LONGEST_KEY + ".");
        }
        return key;
    }

    /**
     * PostgreSQL's text holds any character but NUL; half of a surrogate pair is no character, and has no UTF-8.
     *
     * @param what what it is, for the sentence: "payload"
     */
    public static String checked(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException("The " + what + " has a NUL character at place " + (i + 1)
                        + ", which PostgreSQL cannot store in text; leave it out.");
            }
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    throw new IllegalArgumentException("The " + what + " has half of a surrogate pair at place "
                            + (i + 1) + ", which is no character and has no UTF-8; leave it out.");
                }
                i++;
            }
        }
        return text;
    }
}

package org.pgbaton.server.config;

import java.util.List;

/**
 * A value in a file. Scalars are texts: the key decides whether a text is a number or a time, not YAML, so that a password of digits is not
 * changed. {@code toString} shows no content, because it may be a secret.
 */
sealed interface Value {
    /** From 1. */
    int line();

    /** For sentences: "a list". */
    String what();

    /** @param absent nothing was written, or {@code ~} or {@code null} */
    record Text(int line, String text, boolean absent) implements Value {
        @Override
        public String what() {
            return absent ? "nothing" : "a text";
        }

        @Override
        public String toString() {
            return what();
        }
    }

    record Items(int line, List<Value> values) implements Value {
        @Override
        public String what() {
            return "a list";
        }

        @Override
        public String toString() {
            return what();
        }
    }

    record Entries(int line, List<Entry> entries) implements Value {
        @Override
        public String what() {
            return "a mapping";
        }

        @Override
        public String toString() {
            return what();
        }
    }

    record Entry(int line, String key, Value value) {
        @Override
        public String toString() {
            return key;
        }
    }

    /** A value about which a problem was noted, so that no second one is needed. */
    record Refused(int line) implements Value {
        @Override
        public String what() {
            return "this";
        }
    }
}

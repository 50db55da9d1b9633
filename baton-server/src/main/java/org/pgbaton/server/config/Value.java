package org.pgbaton.server.config;

import java.util.List;

/**
 * What a file says at one place. A text is a text: whether it is a number or a time, the key decides and not YAML, so a password of
 * digits stays what it is. None of them shows its content in {@code toString}: it may be a secret.
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

    /** Something that was there and has been complained about; nobody needs to complain again. */
    record Refused(int line) implements Value {
        @Override
        public String what() {
            return "this";
        }
    }
}

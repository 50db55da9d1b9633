package org.pgbaton.session;

import java.util.Map;

/**
 * An argument of a log line that programs may want to search for. Its text is in the line; backends that know key-value pairs get it by name as
 * well: subscription, lane, key, position, epoch.
 */
@FunctionalInterface
public interface LogFields {
    /** Names and values. */
    Map<String, Object> logFields();

    /** A value with its name. Its text is that of the value. */
    static LogFields of(String name, Object value) {
        return new Field(name, value);
    }

    /** A text that stands for several values. */
    static LogFields several(String text, Map<String, Object> fields) {
        return new Fields(text, fields);
    }

    /** Several values, of which the line has only the text. */
    record Fields(String text, Map<String, Object> logFields) implements LogFields {
        @Override
        public String toString() {
            return text;
        }
    }

    /** A value with its name. */
    record Field(String name, Object value) implements LogFields {
        @Override
        public Map<String, Object> logFields() {
            return Map.of(name, value);
        }

        @Override
        public String toString() {
            return String.valueOf(value);
        }
    }
}

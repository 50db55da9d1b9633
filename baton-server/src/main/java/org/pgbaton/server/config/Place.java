package org.pgbaton.server.config;

import org.jspecify.annotations.Nullable;

/**
 * Where a value stands, for sentences about it.
 *
 * @param key its key, or its number in a list
 * @param section what the key belongs to; empty for the file itself
 * @param line of the key
 * @param secret whether its value must not be shown
 */
record Place(Reading reading, String key, String section, int line, boolean secret) {
    void problem(String sentence) {
        reading.problem(line, sentence);
    }

    /** "'workers' in relay 'trades'". */
    String name() {
        return "'" + key + "'" + in(section);
    }

    static String in(String section) {
        return section.isEmpty() ? "" : " in " + section;
    }

    /** Notes that the value is not what it must be. Shows it, unless it is or could be a secret. */
    void mustBe(String expected, Value value) {
        mustBe(expected, value, "");
    }

    /** @param hint the end of the sentence */
    void mustBe(String expected, Value value, String hint) {
        if (!(value instanceof Value.Refused)) {
            problem(name() + " must be " + expected + shown(value) + hint);
        }
    }

    private String shown(Value value) {
        if (!(value instanceof Value.Text text) || text.absent()) {
            return ", not " + value.what();
        }
        if (secret) {
            return "";
        }
        String written = text.text().replaceAll("\\p{Cntrl}", "?");
        String shortened = written.length() <= 60 ? written : written.substring(0, 59) + "…";
        // What a variable holds is nobody's business.
        return Reading.refers(written) ? ", and what " + shortened + " stands for is not" : ", not '" + shortened + "'";
    }

    /** The text that is written, with its references resolved; null if it is none, which is noted. */
    @Nullable
    String text(Value value, String expected) {
        if (value instanceof Value.Text text && !text.absent()) {
            return reading.resolved(text.text(), line);
        }
        mustBe(expected, value);
        return null;
    }

    /** The same key, for one of several values. */
    Place at(int valueLine) {
        return new Place(reading, key, section, valueLine, secret);
    }

    /** The same, where the value is not to be shown. */
    Place hidden() {
        return new Place(reading, key, section, line, true);
    }
}

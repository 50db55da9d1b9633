package org.pgbaton.bench.outbox;

import java.util.Locale;

/**
 * The messages that all contestants send. Number {@code n} belongs to portfolio {@code n} modulo {@value #KEYS}, so
 * within a key the order is that of the numbers. Needs nothing but the JDK.
 */
final class Messages {
    static final int KEYS = 200;
    static final int PAYLOAD_BYTES = 180;

    private static final String START = "{\"n\":\"";
    private static final int DIGITS = 10;
    private static final String MIDDLE = "\",\"text\":\"";
    private static final String TEXT = "x".repeat(PAYLOAD_BYTES - START.length() - DIGITS - MIDDLE.length() - 2);

    /** The key and the payload as SQL, of a number {@code n}. */
    static final String SQL_KEY = "'P' || n % " + KEYS;

    static final String SQL_PAYLOAD =
            "'" + START + "' || lpad(n::text, " + DIGITS + ", '0') || '" + MIDDLE + TEXT + "\"}'";

    private Messages() {}

    static int keyOf(int number) {
        return number % KEYS;
    }

    static String key(int number) {
        return "P" + keyOf(number);
    }

    static String payload(int number) {
        String digits = Integer.toString(number);
        return START + "0".repeat(DIGITS - digits.length()) + digits + MIDDLE + TEXT + "\"}";
    }

    /** @throws IllegalArgumentException if it is not one of these */
    static int numberIn(byte[] payload) {
        int number = 0;
        for (int i = START.length(); i < START.length() + DIGITS; i++) {
            int digit = i < payload.length ? payload[i] - '0' : -1;
            if (digit < 0 || digit > 9 || payload.length != PAYLOAD_BYTES) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "a payload of %d bytes that nobody wrote", payload.length));
            }
            number = number * 10 + digit;
        }
        return number;
    }
}

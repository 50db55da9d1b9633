package org.pgbaton.pgoutput;

/** Decodes PostgreSQL's text of a {@code bytea}: a backslash, an x, two digits for each byte. */
final class Hex {
    private Hex() {}

    static byte[] decode(byte[] text, int from, int to) {
        int digits = to - from - 2;
        if (digits < 0 || digits % 2 != 0 || text[from] != '\\' || text[from + 1] != 'x') {
            throw notHexadecimal();
        }
        byte[] bytes = new byte[digits / 2];
        for (int i = 0; i < bytes.length; i++) {
            int high = Character.digit(text[from + 2 + 2 * i], 16);
            int low = Character.digit(text[from + 3 + 2 * i], 16);
            if (high < 0 || low < 0) {
                throw notHexadecimal();
            }
            bytes[i] = (byte) (high << 4 | low);
        }
        return bytes;
    }

    private static DecodeException notHexadecimal() {
        return new DecodeException(
                "A bytea value is not in hexadecimal form: the replication connection must have bytea_output = 'hex'.");
    }
}

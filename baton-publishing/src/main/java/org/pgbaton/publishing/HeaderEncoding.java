package org.pgbaton.publishing;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Values of headers where headers carry visible ASCII only. What Baton makes of a message is percent-encoded always, so that it can be
 * decoded without doubt; a message's own header only if it must be, because most are meant as they are.
 */
public final class HeaderEncoding {
    private static final Pattern PLAIN = Pattern.compile("([!-~]([ -~\t]*[!-~])?)?");
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private HeaderEncoding() {}

    /** Whether it is visible ASCII, without a line break and without blanks at its ends. */
    public static boolean isPlain(String value) {
        return PLAIN.matcher(value).matches();
    }

    /** The value itself if it is plain, else encoded. */
    public static String ifNeeded(String value) {
        return isPlain(value) ? value : encoded(value);
    }

    /** In UTF-8, each byte that is not visible ASCII as %XX, and so % and + (which some decoders take for a blank). */
    public static String encoded(String text) {
        return encoded(text, Integer.MAX_VALUE);
    }

    /** The same, cut off when it is this long; the last byte is encoded as a whole. */
    public static String encoded(String text, int most) {
        StringBuilder encoded = new StringBuilder(Math.min(text.length(), most));
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (encoded.length() >= most) {
                break;
            }
            if (b > ' ' && b < 0x7f && b != '%' && b != '+') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.toHexDigits(b));
            }
        }
        return encoded.toString();
    }
}

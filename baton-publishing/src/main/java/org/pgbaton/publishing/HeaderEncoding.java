package org.pgbaton.publishing;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Values of headers, for targets whose headers carry visible ASCII only. Baton's own headers are always
 * percent-encoded, so that they can be decoded without doubt. A message's own header is encoded only if the target
 * could not carry it as it is, because most consumers expect it unchanged.
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

    /**
     * Writes each byte of the UTF-8 text that is not visible ASCII as %XX; also % and +, which some decoders take for a
     * blank.
     */
    public static String encoded(String text) {
        return encoded(text, Integer.MAX_VALUE);
    }

    /** The same, cut off at this length, but never within %XX. */
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

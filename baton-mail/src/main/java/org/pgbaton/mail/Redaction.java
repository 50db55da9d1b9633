package org.pgbaton.mail;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes what a server said fit to be shown: short, printable, and without the password, in any form in which it was sent. Immutable. */
final class Redaction {
    private static final int MOST = 200;
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Z}\\s]+");

    private final List<String> secrets = new ArrayList<>();

    Redaction(@Nullable String user, @Nullable String password) {
        if (password != null && password.length() >= 4) {
            secrets.add(base64("\0" + user + "\0" + password));
            secrets.add(base64(password));
            secrets.add(password);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@code ": 550 no such user"}, or nothing. */
    String said(@Nullable String text) {
        String shown = text == null ? "" : text;
        for (String secret : secrets) {
            shown = shown.replace(secret, "***");
        }
        String line = UNPRINTABLE.matcher(shown).replaceAll(" ").strip();
        if (line.length() > MOST) {
            int end = Character.isHighSurrogate(line.charAt(MOST - 1)) ? MOST - 1 : MOST;
            line = line.substring(0, end) + "…";
        }
        return line.isEmpty() ? "" : ": " + line;
    }
}

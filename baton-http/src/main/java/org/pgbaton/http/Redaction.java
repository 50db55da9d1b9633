package org.pgbaton.http;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Makes text that came from outside fit to be shown: short, printable, and without the secrets that an endpoint may have echoed.
 * Immutable.
 */
final class Redaction {
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Z}\\s]+");

    /** Shorter ones would blot out ordinary text. */
    private static final int SHORTEST = 4;

    private final List<String> secrets;

    Redaction(HttpUrl url, boolean secretPath, Collection<String> headers, Collection<String> secrets) {
        Set<String> all = new HashSet<>();
        if (secretPath) {
            add(all, url.encodedPath());
            url.pathSegments().forEach(segment -> add(all, segment));
        }
        add(all, url.encodedQuery());
        add(all, url.query());
        for (int i = 0; i < url.querySize(); i++) {
            add(all, url.queryParameterValue(i));
        }
        for (String header : headers) {
            add(all, header);
            // Of "Bearer abc" somebody may repeat the last word only.
            add(all, header.substring(header.lastIndexOf(' ') + 1));
        }
        for (String secret : secrets) {
            add(all, secret);
            add(all, secret.substring(secret.indexOf('_') + 1));
        }
        this.secrets = all.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private static void add(Set<String> all, @Nullable String secret) {
        if (secret != null && secret.length() >= SHORTEST) {
            all.add(secret);
        }
    }

    /** @param text all that there is of it: what is cut off before could leave half a secret */
    String shown(String text, int most) {
        String shown = text;
        for (String secret : secrets) {
            shown = shown.replace(secret, "***");
        }
        return printable(shown, most);
    }

    static String printable(String text, int most) {
        String line = UNPRINTABLE.matcher(text).replaceAll(" ").strip();
        if (line.length() <= most) {
            return line;
        }
        // Not between the two halves of a character.
        int end = Character.isHighSurrogate(line.charAt(most - 1)) ? most - 1 : most;
        return line.substring(0, end) + "…";
    }
}

package org.pgbaton.publishing;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Prepares text from outside for being shown: short, printable, and without the secrets that the other side may have
 * repeated. Immutable.
 */
public final class Redaction {
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Z}\\s]+");

    /** Shorter secrets would blot out ordinary text. */
    private static final int SHORTEST = 4;

    private final List<String> secrets;

    /**
     * Blots these secrets out.
     *
     * @param secrets in every form in which somebody may repeat them; those of less than 4 characters are not looked for
     */
    public Redaction(Collection<String> secrets) {
        this.secrets = secrets.stream()
                .filter(secret -> secret.length() >= SHORTEST)
                .distinct()
                // The longest first: if a shorter secret inside it were removed first, the rest would not be found any
                // more.
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    /**
     * The text as it may be shown, at most so many characters of it.
     *
     * @param text the whole text: a secret that was cut in half before would not be found
     */
    public String shown(String text, int most) {
        String shown = text;
        for (String secret : secrets) {
            shown = shown.replace(secret, "***");
        }
        return printable(shown, most);
    }

    /** One line of printable characters, cut off at this length. */
    public static String printable(String text, int most) {
        String line = UNPRINTABLE.matcher(text).replaceAll(" ").strip();
        if (line.length() <= most) {
            return line;
        }
        // Do not cut between the two halves of a surrogate pair.
        int end = Character.isHighSurrogate(line.charAt(most - 1)) ? most - 1 : most;
        return line.substring(0, end) + "…";
    }
}

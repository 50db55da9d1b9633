package org.pgbaton.server.config;

import java.util.Locale;
import org.pgbaton.database.Printable;

/**
 * Something that is wrong with a file.
 *
 * @param line from 1
 * @param sentence begins small and has no full stop; shows no value that could be a secret
 */
public record Problem(int line, String sentence) {
    /** Turns a sentence of another class into that of a problem: without a full stop, and with a small letter unless it begins with a name. */
    public static String within(String sentence) {
        String open = sentence.replaceFirst("\\.$", "");
        return open.matches("(?s)(A|An|The|This) .*")
                ? open.substring(0, 1).toLowerCase(Locale.ROOT) + open.substring(1)
                : open;
    }

    /** In the form of compilers, so that editors find the place. It is one line, whatever text is in the sentence. */
    public String in(String file) {
        return file + ":" + line + ": " + Printable.line(sentence);
    }
}

package org.pgbaton.server.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that was probably meant by one that does not exist. */
public final class Suggestion {
    /** A longer name is not compared: time and memory grow with the square of its length. */
    private static final int LONGEST = 300;

    private Suggestion() {}

    /** The end of a sentence: the name that was probably meant, or only a full stop. */
    public static String didYouMean(String written, Collection<String> names) {
        return nearest(written, names)
                .map(name -> "; did you mean '" + name + "'?")
                .orElse(".");
    }

    /** The name that was probably meant. */
    public static Optional<String> nearest(String written, Collection<String> names) {
        if (written.length() > LONGEST) {
            return Optional.empty();
        }
        return names.stream()
                .filter(name -> edits(written, name) <= Math.max(1, Math.min(written.length(), name.length()) / 3))
                .min(Comparator.comparingInt(name -> edits(written, name)));
    }

    /** How many letters have to be inserted, left out, changed, or swapped with their neighbour. */
    private static int edits(String from, String to) {
        int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                least[i][j] = i == 0 || j == 0 ? i + j : edits(least, from, to, i, j);
            }
        }
        return least[from.length()][to.length()];
    }

    private static int edits(int[][] least, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int edits = Math.min(least[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(least[i - 1][j], least[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(edits, least[i - 2][j - 2] + 1) : edits;
    }
}

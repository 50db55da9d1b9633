package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A piece of docs/benchmarks.md between two comments, which only one command writes.
 *
 * @param name in the comments
 * @param command that writes it, after {@code baton bench}
 * @param order the names of this section's family, in the order they have in the file
 */
public record Section(String name, String command, List<String> order) {

    public static Section of(String name, String command, List<String> order) {
        return new Section(name, command, order);
    }

    private static String begin(String name) {
        return "<!-- " + name + ": written by 'baton bench ";
    }

    private static String end(String name) {
        return "<!-- end of " + name + " -->\n";
    }

    /** Replaces this section and leaves the rest of the file alone. */
    public void write(Path file, String text) throws IOException {
        String old = Files.exists(file) ? Files.readString(file) : "# Benchmarks\n";
        String section = begin(name) + command + "' -->\n" + text + end(name);
        int begin = old.indexOf(begin(name));
        int end = old.indexOf(end(name));
        String updated;
        if (begin >= 0 && end > begin) {
            updated = old.substring(0, begin)
                    + section
                    + old.substring(end + end(name).length());
        } else {
            int place = placeIn(old);
            updated = old.substring(0, place)
                    + (place == old.length() ? "\n" : "")
                    + section
                    + (place == old.length() ? "" : "\n")
                    + old.substring(place);
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, updated);
        System.err.println("Written to " + file.getFileName() + ": " + name + ".");
    }

    /** The place before the first section that comes later, or at the end. */
    private int placeIn(String text) {
        return order.subList(order.indexOf(name) + 1, order.size()).stream()
                .mapToInt(later -> text.indexOf(begin(later)))
                .filter(place -> place >= 0)
                .min()
                .orElse(text.length());
    }
}

package org.pgbaton.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The state of reading one file: its problems so far, and the variables and the folder that it may refer to. Not thread-safe. */
final class Reading {
    // Either the escape $${, or a reference, or the begin of a malformed one.
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\$\\{|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\\}|\\$\\{");

    private static final long LARGEST_SECRET = 100_000;

    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, String> environment;
    private final Path folder;

    /** @param folder where relative paths start */
    Reading(Map<String, String> environment, Path folder) {
        this.environment = environment;
        this.folder = folder;
    }

    List<Problem> problems() {
        return problems;
    }

    void problem(int line, String sentence) {
        problems.add(new Problem(line, sentence));
    }

    static boolean refers(String text) {
        return text.contains("${");
    }

    /** The text with the values of the variables that it refers to. Returns null, and notes a problem, if one is not set. */
    @Nullable
    String resolved(String text, int line) {
        if (!refers(text)) {
            return text;
        }
        Matcher matcher = REFERENCE.matcher(text);
        StringBuilder resolved = new StringBuilder();
        int end = 0;
        boolean whole = true;
        while (matcher.find()) {
            String value = value(matcher, line);
            whole &= value != null;
            resolved.append(text, end, matcher.start()).append(value);
            end = matcher.end();
        }
        return whole ? resolved.append(text, end, text.length()).toString() : null;
    }

    private @Nullable String value(Matcher matcher, int line) {
        if (matcher.group().equals("$${")) {
            return "${";
        }
        String name = matcher.group(1);
        if (name == null) {
            problem(
                    line,
                    "a reference is written ${NAME} or ${NAME:default}; for the characters '${' themselves write '$${'");
            return null;
        }
        String value = environment.get(name);
        if (value == null || value.isEmpty()) {
            value = matcher.group(2); // an empty variable counts as unset
        }
        if (value == null) {
            problem(line, "the environment variable " + name + " is not set: set it, or write ${" + name + ":default}");
        }
        return value;
    }

    /** The path that the text names. Returns null, and notes a problem, if it is no path. */
    @Nullable
    Path path(String text, int line) {
        try {
            return folder.resolve(text);
        } catch (InvalidPathException wrong) {
            problem(line, "this is no path of a file");
            return null;
        }
    }

    /** The content of a file, without the line break at its end. Returns null, and notes a problem, if it cannot be read. */
    @Nullable
    String content(Path file, int line) {
        try {
            if (Files.size(file) > LARGEST_SECRET) {
                problem(line, "the file " + file + " is too large for a secret");
                return null;
            }
            return Files.readString(file).replaceFirst("\\R\\z", "");
        } catch (IOException unreadable) {
            problem(line, "the file " + file + " cannot be read" + (Files.exists(file) ? "" : ": it does not exist"));
            return null;
        }
    }
}

package org.pgbaton.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Many commands and what each of them says, as a text: a line {@code $ command}, then what came on standard output ({@code 1 …}) and
 * standard error ({@code 2 …}), then the exit code ({@code = 0}). In what is expected, {@code …} stands for anything in a line, a line
 * that is {@code …} alone for any lines, and spaces for any number of spaces. Comments begin with {@code #}.
 */
final class Transcript {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private Transcript() {}

    /** One command, and the lines that follow it. */
    record Part(String command, List<String> lines) {
        List<String> arguments() {
            List<String> words = new ArrayList<>();
            Matcher word = WORD.matcher(command);
            while (word.find()) {
                words.add(word.group(1) == null ? word.group(2) : word.group(1));
            }
            return words;
        }

        /** As a pattern of file names does it: where it does not fit, the last "any lines" takes one line more. */
        boolean fits(Part actual) {
            int wanted = 0;
            int any = -1;
            int taken = 0;
            int said = 0;
            while (said < actual.lines.size()) {
                if (wanted < lines.size() && isAny(lines.get(wanted), actual.lines.get(said))) {
                    any = wanted++;
                    taken = said;
                } else if (wanted < lines.size() && actual.lines.get(said).matches(pattern(lines.get(wanted)))) {
                    wanted++;
                    said++;
                } else if (any >= 0 && isAny(lines.get(any), actual.lines.get(taken))) {
                    wanted = any + 1;
                    said = ++taken;
                } else {
                    return false;
                }
            }
            return wanted == lines.size();
        }

        private static boolean isAny(String line, String said) {
            return line.endsWith(" …") && line.length() == 3 && said.startsWith(line.substring(0, 1));
        }

        private static String pattern(String line) {
            StringBuilder pattern = new StringBuilder();
            for (String piece : line.strip().split("(?<=…)|(?=…)|(?<= ) *|(?= )")) {
                pattern.append(piece.equals("…") ? ".*" : piece.isBlank() ? " +" : Pattern.quote(piece));
            }
            return pattern.append(" *").toString();
        }

        @Override
        public String toString() {
            return "$ " + command + "\n" + String.join("\n", lines) + "\n";
        }
    }

    static List<Part> parse(List<String> text) {
        List<Part> parts = new ArrayList<>();
        for (String line : text) {
            if (line.startsWith("$ ")) {
                parts.add(new Part(line.substring(2), new ArrayList<>()));
            } else if (!line.isBlank() && !line.startsWith("#")) {
                parts.get(parts.size() - 1).lines().add(line.stripTrailing());
            }
        }
        return parts;
    }

    /** Runs the commands of one file, all in this JVM, and writes what they said to the other. */
    public static void main(String[] files) throws IOException {
        List<String> said = new ArrayList<>();
        for (Part part : parse(Files.readAllLines(Path.of(files[0])))) {
            said.add("$ " + part.command());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            int code = Main.run(part.arguments().toArray(String[]::new));
            out.toString(StandardCharsets.UTF_8).lines().forEach(line -> said.add(("1 " + line).stripTrailing()));
            err.toString(StandardCharsets.UTF_8).lines().forEach(line -> said.add(("2 " + line).stripTrailing()));
            said.add("= " + code);
        }
        Files.write(Path.of(files[1]), said);
        System.exit(0);
    }
}

package org.pgbaton.server.config;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgbaton.server.command.Output;

/** A file has problems. The message has a line for each of them, in the order of the file, and a last line with their number. */
public final class ConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigurationException(String file, List<Problem> problems) {
        super(Stream.concat(
                        lines(file, problems).stream(),
                        Stream.of("baton: " + file + " has "
                                + Output.count(lines(file, problems).size(), "problem") + "."))
                .collect(Collectors.joining(System.lineSeparator())));
    }

    private static List<String> lines(String file, List<Problem> problems) {
        return problems.stream()
                .sorted(Comparator.comparingInt(Problem::line))
                .map(each -> each.in(file))
                .distinct()
                .toList();
    }
}

package org.pgbaton.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of the documentation have every meter of this module, and no other. */
class EveryMeterIsDocumentedTest {
    private static final Pattern WHOLE = Pattern.compile("\"(baton\\.[a-z]+\\.[a-z.]*[a-z])\"");
    private static final Pattern OF_SUBSCRIPTIONS =
            Pattern.compile("(?:PREFIX \\+|\\b(?:counter|gauge)\\()\\s*\"([a-z.]+)\"");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(baton\\.[a-z]+\\.[a-z.]+)` \\| (?:gauge|counter|timer)");

    @Test
    void andNothingElseIs() throws IOException {
        Set<String> made = new TreeSet<>();
        find(Path.of("src/main/java"), ".java", WHOLE, "", made);
        find(
                Path.of("src/main/java/org/pgbaton/micrometer/SubscriptionMeters.java"),
                ".java",
                OF_SUBSCRIPTIONS,
                "baton.subscription.",
                made);
        Set<String> documented = new TreeSet<>();
        find(Path.of("../docs"), ".md", ROW, "", documented);

        assertThat(made).hasSizeGreaterThan(20);
        assertThat(documented).isEqualTo(made);
    }

    private static void find(Path folder, String ending, Pattern pattern, String prefix, Set<String> names)
            throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(ending)).toList()) {
                Matcher matcher = pattern.matcher(Files.readString(file));
                while (matcher.find()) {
                    names.add(prefix + matcher.group(1));
                }
            }
        }
    }
}

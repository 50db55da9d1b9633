package org.pgbaton;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link of the documentation leads somewhere, every page is in the index, and lines fit a screen. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final int WIDTH = 150;

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(prose(page));
            while (link.find()) {
                if (!link.group(1).contains("://") && !exists(page, link.group(1))) {
                    broken.add(page + ": " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        for (Path page : pagesIn(ROOT.resolve("docs"), 1)) {
            assertThat(index).contains("(" + page.getFileName() + ")");
        }
    }

    @Test
    void linesFitAScreen() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages()) {
            for (String line : prose(page).split("\n", -1)) {
                if (line.length() > WIDTH && !line.startsWith("|") && !line.startsWith("    ")) {
                    tooLong.add(page + ": " + line);
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static boolean exists(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(file) && (parts.length == 1 || anchors(file).contains(parts[1]));
    }

    /** Of headings, as GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        for (String line : prose(page).split("\n", -1)) {
            if (line.startsWith("#")) {
                String heading = line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT);
                anchors.add(heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'));
            }
        }
        return anchors;
    }

    /** Without blocks of code. */
    private static String prose(Path page) throws IOException {
        return Files.readString(page).replaceAll("(?ms)^```.*?^```", "");
    }

    /** Benchmarks are written by a command. */
    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
        pages.addAll(pagesIn(ROOT.resolve("docs"), 2));
        pages.removeIf(page -> page.endsWith("benchmarks.md"));
        return pages;
    }

    private static List<Path> pagesIn(Path folder, int depth) throws IOException {
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.filter(file -> file.toString().endsWith(".md") && !file.endsWith("README.md"))
                    .toList();
        }
    }
}

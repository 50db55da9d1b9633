package org.pgbaton.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * The dashboard in a real Chromium: every view at two widths, in light and dark, with axe; every action; a takeover seen live; hostile text shown
 * as text. The steps are in {@code src/test/browser/dashboard.mjs}. {@code check} installs Chromium, Node.js and what they need.
 */
@BatonTest
class DashboardInChromiumTest {
    private static final Path BROWSER = Path.of("src/test/browser");
    private static final String SCREENSHOTS = System.getProperty("baton.screenshots", "");

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void everyViewAndEveryAction(TestDatabase database) throws Exception {
        assumeTrue(SCREENSHOTS.isEmpty(), "only pictures are made");
        List<String> said = run(database);
        assertThat(said).as(String.join("\n", said)).last().isEqualTo("ok all");
        assertThat(said).hasSizeGreaterThan(60);
    }

    /** {@code docs/images/make} calls this. */
    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void pictures(TestDatabase database) throws Exception {
        assumeTrue(!SCREENSHOTS.isEmpty(), "made by docs/images/make");
        assertThat(run(database, "--screenshots", SCREENSHOTS)).last().isEqualTo("ok all");
    }

    private static List<String> run(TestDatabase database, String... options) throws Exception {
        Path chromium = Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(chromium != null, "Chromium is not installed");
        assumeTrue(
                Files.isDirectory(BROWSER.resolve("node_modules/playwright-core")),
                "playwright-core is not installed: 'npm ci' in baton-server/src/test/browser");
        try (DashboardWorld world = new DashboardWorld(database, "/ops")) {
            List<String> command = new ArrayList<>(List.of("node", "dashboard.mjs", world.url()));
            command.addAll(List.of(options));
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(BROWSER.toFile()).redirectErrorStream(true);
            builder.environment().put("CHROMIUM", chromium.toString());
            Process node = builder.start();
            try {
                return new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
            } finally {
                node.destroyForcibly().waitFor();
            }
        }
    }
}

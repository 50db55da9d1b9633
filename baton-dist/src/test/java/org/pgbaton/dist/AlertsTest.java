package org.pgbaton.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The alert rules: Prometheus understands them, each fires in a test of promtool, and each has a runbook. */
class AlertsTest {
    private static final Path FOLDER = Path.of("../deploy/prometheus");

    @Test
    void prometheusUnderstandsThemAndEachFires() throws Exception {
        promtool("check", "rules", "alerts.yaml");
        promtool("test", "rules", "alerts.test.yaml");
    }

    @Test
    void noneIsLeftOutOfTheTests() throws IOException {
        Map<?, ?> tests = Chart.objects(Files.readString(FOLDER.resolve("alerts.test.yaml")))
                .get(0);
        List<Object> firing = new ArrayList<>();
        for (Object test : (List<?>) tests.get("tests")) {
            for (Object rule : (List<?>) Chart.at(test, "alert_rule_test")) {
                if (!((List<?>) Chart.at(rule, "exp_alerts")).isEmpty()) {
                    firing.add(Chart.at(rule, "alertname"));
                }
            }
        }

        assertThat(firing).containsExactlyInAnyOrderElementsOf(names());
    }

    @Test
    void eachHasARunbookAndEachRunbookAnAlert() throws IOException {
        String page = Files.readString(Path.of("../docs/runbooks.md"));
        List<String> sections = page.lines()
                .filter(line -> line.startsWith("## Baton"))
                .map(line -> line.substring(3))
                .toList();

        assertThat(sections).containsExactlyInAnyOrderElementsOf(names());
        assertThat(rules())
                .allSatisfy(rule -> assertThat(Chart.at(rule, "annotations", "runbook"))
                        .isEqualTo("docs/runbooks.md#" + ((String) Chart.at(rule, "alert")).toLowerCase(Locale.ROOT)));
    }

    private static List<String> names() throws IOException {
        return rules().stream().map(rule -> (String) Chart.at(rule, "alert")).toList();
    }

    private static List<?> rules() throws IOException {
        Map<?, ?> file =
                Chart.objects(Files.readString(FOLDER.resolve("alerts.yaml"))).get(0);
        return (List<?>) Chart.at(file, "groups", 0, "rules");
    }

    private static void promtool(String... arguments) throws Exception {
        assumeThat(Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, "promtool")))
                .as("promtool is not installed (apt-get install prometheus)")
                .anyMatch(Files::isExecutable);
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile("promtool", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(FOLDER.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue())
                    .as("%s said %s", command, Files.readString(said))
                    .isZero();
        } finally {
            Files.delete(said);
        }
    }
}

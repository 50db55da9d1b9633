package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code baton init}, and the file of a beginner with five mistakes. */
class InitTest {
    @TempDir
    private Path folder;

    @Test
    void theFileIsRightAsItIsAndNeverOverwritten() throws Exception {
        assertThat(Cli.baton("init").in(folder).run().succeeds().err())
                .isEqualTo("baton: Wrote baton.yaml. Edit it, then: baton serve --check -c baton.yaml\n");
        assertThat(Cli.baton("serve", "--check").in(folder).run().succeeds().err())
                .contains("baton.yaml is right.");

        Files.writeString(folder.resolve("baton.yaml"), "mine");
        Cli.baton("init").in(folder).run().complains(64, "baton.yaml exists already, and stays as it is");
        assertThat(folder.resolve("baton.yaml")).hasContent("mine");
    }

    @Test
    void whatItHasAsCommentsIsRightToo() throws Exception {
        Cli.baton("init").in(folder).run().succeeds();
        Path file = folder.resolve("baton.yaml");
        Path secret = Files.writeString(folder.resolve("secret"), "https://hooks.slack.com/services/T0/B0/x");
        Path signing = Files.writeString(folder.resolve("signing"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        String whole = Files.readString(file)
                .replaceAll("(?m)^#( *[a-z-]+:|  )", "$1")
                .replaceAll("(?m)^  # .*\\R", "")
                .replace("/run/secrets/webhook", signing.toString())
                .replaceAll("/run/secrets/[a-z-]+", secret.toString());
        Files.writeString(file, whole);

        assertThat(Cli.baton("serve", "--check", "--database-url", "postgres://127.0.0.1:1/db")
                        .in(folder)
                        .run()
                        .succeeds()
                        .out())
                .contains("trades-to-kafka", "alerts", "ops");
    }

    @Test
    void fiveMistakesAreToldAtOnceEachWithItsLineAndWhatToDo() throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                http: {prt: 8080}
                relays:
                  - name: trades
                    log: outbox
                    workers: many
                    target:
                      webhok:
                        url: https://example.com/hook
                  - name: trades
                    order: keys
                    target: {stdout: }
                captures:
                  - name: alerts
                    tables: [public.alert]
                    channels: [opps]
                channels:
                  - name: ops
                    log: {}
                """);

        Cli.Ended ended = Cli.baton("serve", "--check").in(folder).run();

        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().lines())
                .anySatisfy(
                        line -> assertThat(line).startsWith("baton.yaml:1: ").contains("'prt'", "did you mean 'port'?"))
                .anySatisfy(
                        line -> assertThat(line).startsWith("baton.yaml:5: ").contains("workers", "1 to 1024"))
                .anySatisfy(
                        line -> assertThat(line).startsWith("baton.yaml:7: ").contains("did you mean 'webhook'?"))
                .anySatisfy(
                        line -> assertThat(line).startsWith("baton.yaml:10: ").contains("did you mean 'key'?"))
                .anySatisfy(
                        line -> assertThat(line).startsWith("baton.yaml:15: ").contains("did you mean 'ops'?"));
        assertThat(ended.err().lines()).hasSizeGreaterThanOrEqualTo(6);
    }

    @Test
    void anEmptyVariableCountsAsUnset() {
        Cli.baton("lead", "x", "--", "true")
                .on("")
                .with("BATON_SCHEMA", "")
                .with("BATON_DATA_DIR", "")
                .with("BATON_DATABASE_PASSWORD_FILE", "")
                .run()
                .complains(64, "No database is named");
        assertThat(Cli.baton("migrate", "--print-sql")
                        .with("BATON_SCHEMA", "")
                        .run()
                        .succeeds()
                        .out())
                .contains("CREATE SCHEMA \"baton\"");
    }
}

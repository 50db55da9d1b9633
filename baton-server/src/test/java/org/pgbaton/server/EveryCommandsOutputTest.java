package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import picocli.CommandLine;

/** Every command is run, where it works and where it is misused, and every sentence that it says is compared. */
@BatonTest
class EveryCommandsOutputTest {
    /** Prints nothing that a test could read: it is for the launcher, or for {@code demo} itself. */
    private static final Set<String> INTERNAL = Set.of("demo-worker", "warm-up", "man-pages", "help");

    @Test
    void isWhatTheTranscriptSays(TestDatabase database, @TempDir Path folder) throws Exception {
        prepare(database, folder);
        List<Transcript.Part> expected = expected();

        List<Transcript.Part> actual = run(database, folder, expected);

        SoftAssertions all = new SoftAssertions();
        for (int i = 0; i < expected.size(); i++) {
            Transcript.Part wanted = expected.get(i);
            all.assertThat(wanted.fits(actual.get(i)) ? wanted : actual.get(i)).isEqualTo(wanted);
        }
        all.assertAll();
    }

    @Test
    void isReadForEveryCommandThereIs() throws Exception {
        List<List<String>> inTheTranscript =
                expected().stream().map(Transcript.Part::arguments).toList();

        assertThat(leaves(new CommandLine(new Main()), List.of()))
                .allSatisfy(command -> assertThat(inTheTranscript)
                        .as("a line '$ %s' in the transcript", String.join(" ", command))
                        .anyMatch(line -> line.size() >= command.size()
                                && line.subList(0, command.size()).equals(command)));
    }

    /** The commands that do something, each by its words. */
    static List<List<String>> leaves(CommandLine command, List<String> path) {
        List<List<String>> leaves = new ArrayList<>();
        command.getSubcommands().forEach((name, sub) -> {
            if (!INTERNAL.contains(name)) {
                List<String> words =
                        Stream.concat(path.stream(), Stream.of(name)).toList();
                leaves.addAll(sub.getSubcommands().isEmpty() ? List.of(words) : leaves(sub, words));
            }
        });
        return leaves;
    }

    private static List<Transcript.Part> expected() throws Exception {
        Path file = Path.of(Objects.requireNonNull(EveryCommandsOutputTest.class.getResource("transcript.txt"))
                .toURI());
        return Transcript.parse(Files.readAllLines(file));
    }

    /** A subscription with a parked key, a capture, an old outbox table, a configuration file. */
    private static void prepare(TestDatabase database, Path folder) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        database.execute("CREATE TABLE old_outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " aggregate_id text, payload jsonb, status text DEFAULT 'PENDING')");
        try (Shop shop = Shop.open(database);
                Baton baton = database.baton("shop-2")) {
            shop.park("P7", 2);
            baton.capture("alerts").table("alert").start();
            await().atMost(Cli.PATIENCE)
                    .until(() -> database.one("SELECT state FROM baton.capture_status")
                            .equals("running"));
            database.execute("INSERT INTO alert VALUES ('a')");
            await().atMost(Cli.PATIENCE)
                    .until(() ->
                            database.one("SELECT count(*) FROM baton.alerts").equals("1"));
        }
        await().atMost(Cli.PATIENCE)
                .until(() -> database.one("SELECT count(*) FROM pg_replication_slots WHERE active")
                        .equals("0"));
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    target:
                      stdout: {}
                captures:
                  - name: alerts
                    tables: [alert]
                    channels: [ops]
                channels:
                  - name: ops
                    stdout: {}
                """);
        Files.writeString(folder.resolve("wrong.yaml"), "relay: []\n");
    }

    private static List<Transcript.Part> run(TestDatabase database, Path folder, List<Transcript.Part> parts)
            throws Exception {
        Path commands = folder.resolve("commands");
        Path said = folder.resolve("said");
        Files.write(commands, parts.stream().map(part -> "$ " + part.command()).toList());
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        Stream.of(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                                .collect(Collectors.joining(System.getProperty("path.separator"))),
                        Transcript.class.getName(),
                        commands.toString(),
                        said.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("noise").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("BATON_") || name.startsWith("PG"));
        builder.environment().put("BATON_DATABASE_URL", database.url());
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(Cli.PATIENCE.toSeconds() * 3, TimeUnit.SECONDS))
                    .as("ended; it said %s", Files.readString(folder.resolve("noise")))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(said)
                .as("what was said; else: %s", Files.readString(folder.resolve("noise")))
                .exists();
        if (System.getenv("TRANSCRIPT_TO") != null) {
            Files.copy(said, Path.of(System.getenv("TRANSCRIPT_TO")));
        }
        return Transcript.parse(Files.readAllLines(said));
    }
}

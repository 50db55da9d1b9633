package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Follows docs/capturing-with-few-rights.md, as it is written: each block as the role that it names. */
@BatonTest
class CapturingWithFewRightsTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```(sql|yaml)\\n(?:-- as ([^\\n]+)\\n)?(.*?)```");

    @Test
    void thePageWorksWhenItIsFollowed(TestDatabase database, @TempDir Path folder) throws Exception {
        database.execute(Cli.baton("migrate", "--print-roles").run().succeeds().out());
        database.execute("""
                CREATE ROLE shop_owner LOGIN;
                CREATE ROLE shop_deployer LOGIN; GRANT baton_owner TO shop_deployer;
                CREATE TABLE public.alert (id int PRIMARY KEY, text text); ALTER TABLE public.alert OWNER TO shop_owner;
                INSERT INTO public.alert VALUES (1, 'there before')""");
        String page = Files.readString(Path.of("../docs/capturing-with-few-rights.md"))
                .replace("DATABASE shop ", "DATABASE \"" + database.name() + "\" ");
        Path file = folder.resolve("baton.yaml");
        for (Matcher block = BLOCK.matcher(page); block.find(); ) {
            if (block.group(1).equals("yaml")) {
                Files.writeString(file, block.group(3));
            } else {
                execute(database.urlFor(login(String.valueOf(block.group(2)))), block.group(3));
            }
        }
        assertThat(file).exists();
        String url = database.urlFor("shop_capture");

        // The server of the tests is not durable on purpose; nothing else is wrong.
        assertThat(Cli.baton("doctor", "--for", "capture", "--database-url", url)
                        .run()
                        .out()
                        .lines()
                        .filter(line -> line.startsWith("ERROR")))
                .allMatch(line -> line.contains("fsync"));
        try (Cli serve = Cli.baton("serve", "--no-migrate", "-c", file.toString(), "--database-url", url)
                .start()) {
            serve.awaitError("is running.");
            execute(database.urlFor("shop_owner"), "INSERT INTO public.alert VALUES (2, 'new')");
            await().atMost(Cli.PATIENCE)
                    .untilAsserted(() -> assertThat(database.one("SELECT count(DISTINCT key) FROM baton.alerts"))
                            .as("rows, after: %s", serve.err())
                            .isEqualTo("2"));
            serve.signal("TERM");
            assertThat(serve.awaitEnd().code()).isZero();
        }
        Cli.baton("captures", "drop", "alerts", "--reason", "test", "--yes", "--database-url", url)
                .run()
                .succeeds();
        assertThat(database.one("SELECT count(*) FROM pg_publication WHERE pubname = 'shop_alerts'"))
                .isEqualTo("1");
    }

    private static String login(String who) {
        return switch (who) {
            case "a superuser" -> "postgres";
            case "a member of baton_owner" -> "shop_deployer";
            case "the owner of the table" -> "shop_owner";
            default -> throw new AssertionError("who is '" + who + "'?");
        };
    }

    private static void execute(String url, String sql) throws Exception {
        try (Connection connection = DatabaseUrl.parse(url).connector().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

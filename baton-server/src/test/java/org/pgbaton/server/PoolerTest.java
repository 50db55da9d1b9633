package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.PgBouncer;
import org.pgbaton.testkit.TestDatabase;

/** The command behind a real PgBouncer: refused with one sentence, or at work, with a direct address beside it. */
@BatonTest
class PoolerTest {
    @TempDir
    private Path folder;

    @BeforeAll
    static void isThere() {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"transaction", "statement"})
    void oneSentenceNamesThePoolerAndWhatToDoWhateverRanBefore(String mode, TestDatabase database) throws Exception {
        Path file = Served.relayTo("http://127.0.0.1:1/hook", folder);
        List<String[]> commands = List.of(
                new String[] {"lead", "job", "--", "true"},
                new String[] {"serve", "-c", file.toString(), "--database-wait", "1h"},
                new String[] {"serve", "-c", file.toString(), "--check"});
        try (PgBouncer pooler = PgBouncer.start(database, mode, folder, PgBouncer.FOR_JDBC)) {
            // What ran before leaves its traces in the pooler's connections.
            List<Cli> before = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                before.add(Cli.baton("status").on(pooler.url()).start());
            }
            before.forEach(each -> {
                each.awaitEnd();
                each.close();
            });
            for (String[] command : commands) {
                Cli.baton(command)
                        .on(pooler.url())
                        .run()
                        .complains(78, "PgBouncer")
                        .complains(78, "direct address");
            }
        }
        assertThat(database.one("SELECT count(*) FROM baton.subscription")).isEqualTo("0");
    }

    @Test
    void aParameterThatThePoolerRefusesIsNamed(TestDatabase database) throws Exception {
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder)) {
            Cli.baton("status")
                    .on(pooler.url() + "?options=-c%20statement_timeout=0")
                    .run()
                    .complains(78, "refuses the parameter 'options'")
                    .complains(78, "ignore_startup_parameters");
        }
    }

    @Test
    void ordinaryWorkGoesThroughThePoolerAndSessionsToTheDirectAddress(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                PgBouncer pooler = PgBouncer.start(database, "transaction", folder, PgBouncer.FOR_JDBC);
                Served served = Served.start(
                        pooler.url(), Served.relayTo(receiver.url("/hook"), folder), "--direct-url", database.url())) {
            Served.send(database, 20, 10);
            await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() >= 200);
            assertThat(served.cli().err()).doesNotContain("trouble");
            // The pooler's own server connections, and those that came directly.
            assertThat(Integer.parseInt(database.one("""
                    SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'baton%' AND datname = current_database()"""))).isGreaterThanOrEqualTo(3);
            Cli.baton("lead", "job", "--direct-url", database.url(), "--", "true")
                    .on(pooler.url())
                    .run()
                    .succeeds();
            Cli.baton("doctor", "--direct-url", database.url()).on(pooler.url()).run();
        }
    }
}

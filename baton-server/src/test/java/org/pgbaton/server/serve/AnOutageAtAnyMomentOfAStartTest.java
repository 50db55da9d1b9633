package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A database that goes away while {@code serve} starts is waited for, at whatever moment that is: while it connects, migrates, checks, subscribes or
 * makes a slot. A start says about 120 things to the server, one after the other.
 */
@BatonTest
class AnOutageAtAnyMomentOfAStartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(ints = {2, 14, 30, 48, 75, 100, 125})
    void isWaitedFor(int cutAt, TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY)");

        start(database, cutAt, new DatabaseWait(PATIENCE, System::nanoTime));
    }

    @Test
    void withoutPatienceTheSameOutageEndsTheStart(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY)");
        assertThatThrownBy(() -> start(database, 20, DatabaseWait.none()))
                .isInstanceOfSatisfying(
                        DatabaseException.class,
                        away -> assertThat(away.fault().passes()).isTrue());
    }

    private static void start(TestDatabase database, int cutAt, DatabaseWait wait) throws Exception {
        String name = "start_" + cutAt;
        BatonYaml yaml = BatonYaml.parse("""
                relays:
                  - name: %1$s
                    target: {stdout: }
                captures:
                  - name: %1$s
                    tables: [alert]
                """.formatted(name), Path.of("baton.yaml"), Map.of());
        try (CutProxy proxy = new CutProxy(database.server().postgres().port(), cutAt)) {
            String url = "postgres://postgres@127.0.0.1:" + proxy.port() + "/" + database.name();
            try (Baton baton = wait.take(() -> Baton.open(url));
                    Workload workload = new Workload()) {
                wait.run(() -> Baton.builder(url).checkSession());
                workload.start(yaml, baton, wait);
                assertThat(proxy.hasCut()).isTrue();
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(workload.health())
                                .as("cut at %s", cutAt)
                                .hasSize(2)
                                .allMatch(ServedHealth::isRunning));
            } finally {
                drop(database, name);
            }
        }
    }

    private static void drop(TestDatabase database, String name) throws Exception {
        try (Baton baton = database.baton("tidy")) {
            if (baton.captures().list().stream().anyMatch(each -> each.name().equals(name))) {
                await().atMost(PATIENCE)
                        .ignoreExceptions()
                        .untilAsserted(() -> baton.captures().drop(name, "test"));
            }
        }
    }
}

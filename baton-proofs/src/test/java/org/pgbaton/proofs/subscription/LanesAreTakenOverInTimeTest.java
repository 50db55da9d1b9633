package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.proofs.Cable;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Promise 8, for lanes: the lanes of a process that dies go to another at once, of one that freezes or is cut off within the lease. */
@BatonTest
class LanesAreTakenOverInTimeTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    /** So long that a takeover that waits for its end can be told from one that does not. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);
    /** Far more than it takes on a busy machine. */
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    private static final Duration LEASE = Duration.ofSeconds(4);

    @Test
    void atOnceWhenTheirOwnerIsKilled(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (JavaProcess other = startOther(List.of(), database.url(), LONG_LEASE);
                Baton baton = open(database.url(), LONG_LEASE)) {
            Subscription mine = share(baton);
            long killed = System.nanoTime();
            other.kill();
            takeAll(database.url(), mine, killed, AT_ONCE);
            assertThat(Handled.verdict(database, ReaderProgram.BY_KEY, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void withinTheLeaseWhenTheirOwnerIsFrozen(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (JavaProcess other = startOther(List.of(), database.url(), LEASE);
                Baton baton = open(database.url(), LEASE)) {
            Subscription mine = share(baton);
            long frozen = System.nanoTime();
            other.freeze();
            takeAll(database.url(), mine, frozen, LEASE.plusSeconds(3));
            other.thaw();
            awaitLanes(mine, 8);
            append(database.url());
            Eventually.isTrue(() -> Handled.isComplete(database, ReaderProgram.BY_KEY));
            assertThat(Handled.verdict(database, ReaderProgram.BY_KEY, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void withinTheLeaseWhenTheirOwnersNetworkIsCutAndItComesBackByItself(@TempDir Path folder) throws Exception {
        try (Cable cable = Cable.lay();
                PostgresServer server = cable.startServer(folder);
                Baton baton = open(server.jdbcUrl("postgres"), LEASE)) {
            String url = server.jdbcUrl("postgres");
            execute(url, Handled.TABLE);
            try (JavaProcess other = startOther(cable.onTheFarSide(), cable.farUrl(server), LEASE)) {
                Subscription mine = share(baton);
                long cut = System.nanoTime();
                cable.cut();
                takeAll(url, mine, cut, LEASE.plusSeconds(3));
                cable.mend();
                awaitLanes(mine, 8);
                append(url);
                Eventually.isTrue(SOON, () -> missing(url).equals("0"));
                assertThat(
                                one(
                                        url,
                                        "SELECT count(*) - count(DISTINCT position) FROM public.handled WHERE subscription = 'by-key'"))
                        .as("handled twice")
                        .isEqualTo("0");
                assertThat(other.isAlive()).isTrue();
            }
        }
    }

    private static JavaProcess startOther(List<String> prefix, String url, Duration lease) throws Exception {
        JavaProcess other = ReaderProgram.start(prefix, url, "other", lease);
        other.await("RUNNING", SOON);
        return other;
    }

    private static Baton open(String url, Duration lease) {
        return Baton.builder(url).who("me").lease(lease).open();
    }

    private static Subscription share(Baton baton) {
        Subscription mine = baton.subscription(ReaderProgram.BY_KEY)
                .on("events")
                .project((message, connection) -> Handled.add(connection, ReaderProgram.BY_KEY, List.of(message)))
                .start();
        awaitLanes(mine, 8);
        return mine;
    }

    private static void awaitLanes(Subscription subscription, int lanes) {
        Eventually.isTrue(SOON, () -> subscription.stats().lanes() == lanes);
    }

    /** The lanes are not only owned: messages in each of them are handled. */
    private static void takeAll(String url, Subscription mine, long since, Duration atMost) throws SQLException {
        append(url);
        Eventually.isTrue(SOON, () -> missing(url).equals("0"));
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(atMost);
        awaitLanes(mine, 16);
    }

    private static String missing(String url) throws SQLException {
        return one(
                url,
                "SELECT count(*) FROM baton.events e WHERE NOT EXISTS (SELECT FROM public.handled h WHERE h.position = e.position AND subscription = 'by-key')");
    }

    /** To every lane. */
    private static void append(String url) throws SQLException {
        execute(url, "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 200) n");
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}

package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.PgBouncer;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Connections on which a lock would protect nothing are refused, with a sentence that says what to do. */
@BatonTest
class RefusedConnectionsTest {

    @ParameterizedTest
    @ValueSource(strings = {"transaction", "statement"})
    void aPoolerThatSwapsBackendsIsRefusedEvenForALoneClient(String mode, TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, mode, folder, PgBouncer.FOR_JDBC);
                Baton baton = poolerForSessions(database, pooler)) {
            assertThatThrownBy(() -> baton.leadership("job").tryLead())
                    .isInstanceOfSatisfying(
                            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.UNSUITABLE))
                    .hasMessageContaining("pooler in transaction mode")
                    .hasMessageContaining("direct address");
        }
    }

    @Test
    void severalConcurrentClientsOfATransactionModePoolerAreAllRefused(TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder, PgBouncer.FOR_JDBC);
                Baton baton = poolerForSessions(database, pooler)) {
            List<CompletableFuture<Throwable>> bids = new ArrayList<>();
            for (int client = 0; client < 6; client++) {
                String name = "job " + client;
                bids.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return new AssertionError(
                                baton.leadership(name).tryLead().toString());
                    } catch (Exception refused) {
                        return refused;
                    }
                }));
            }
            assertThat(bids).allSatisfy(bid -> assertThat(bid.join()).isInstanceOf(DatabaseException.class));
        }
    }

    @Test
    void aPoolerInSessionModeIsFine(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "session", folder, PgBouncer.FOR_JDBC);
                Baton baton = poolerForSessions(database, pooler)) {
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
        }
    }

    @Test
    void ordinaryWorkAndTheGuardMayGoThroughATransactionModePooler(TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder, PgBouncer.FOR_JDBC)) {
            var pool = new org.postgresql.ds.PGSimpleDataSource();
            pool.setUrl(pooler.jdbcUrl());
            try (Baton baton = Baton.builder(pool, database::connect).open();
                    Connection work = pool.getConnection()) {
                var term = baton.leadership("job").lead();
                work.setAutoCommit(false);
                term.guard(work);
                work.commit();
                term.close();
                assertThatThrownBy(() -> term.guard(work)).hasMessageContaining("the term is over");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aProxyThatRotatesBackendsBehindOneProcessIdIsUnmaskedWhereverItBegins(int faithful, TestDatabase database)
            throws Exception {
        try (RotatingProxy proxy =
                        new RotatingProxy(database.server().postgres().port(), faithful);
                Baton baton = proxyForSessions(database, proxy)) {
            assertThatThrownBy(() -> baton.leadership("job").tryLead())
                    .isInstanceOf(DatabaseException.class)
                    .hasMessageContaining("pooler in transaction mode");
        }
    }

    @Test
    void aProxyThatBeginsToRotateLaterCostsTheTermAtTheNextHeartbeat(TestDatabase database) throws Exception {
        try (RotatingProxy proxy =
                        new RotatingProxy(database.server().postgres().port(), 12);
                Baton baton = proxyForSessions(database, proxy)) {
            var term = baton.leadership("job").lease(Duration.ofSeconds(2)).lead();
            assertThat(term.whenOver().get(20, TimeUnit.SECONDS)).contains("connection is not the same any more");
        }
    }

    @Test
    void aReplicaIsRefusedAndItsPromotionStartsANewEraOfEpochs(@TempDir Path folder) throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                PostgresServer replica = server.postgres().replica(folder.resolve("replica"));
                Baton onPrimary = database.baton("primary")) {
            String replicaUrl = replica.jdbcUrl(database.name());
            var oldTerm = onPrimary.leadership("job").lead();
            assertThat(oldTerm.epoch()).isEqualTo(1);
            Eventually.isTrue(() -> read(replicaUrl, "SELECT coalesce(max(epoch), 0) FROM baton.leadership")
                    .equals("1"));

            try (Baton onReplica = Baton.builder(replicaUrl).migrate(false).open()) {
                assertThatThrownBy(() -> onReplica.leadership("job").tryLead())
                        .isInstanceOfSatisfying(
                                DatabaseException.class,
                                e -> assertThat(e.fault()).isEqualTo(Fault.READ_ONLY))
                        .hasMessageContaining("replica")
                        .hasMessageContaining("targetServerType=primary");

                replica.promote();

                // The old primary lives and its leader believes in epoch 1. On the new one that token is worth nothing,
                // although
                // the row there says epoch 1, too.
                try (Connection zombie =
                        DatabaseUrl.parse(replicaUrl).connector().connect()) {
                    zombie.setAutoCommit(false);
                    assertThatThrownBy(() -> oldTerm.guard(zombie)).hasMessageContaining("promoted or restored");
                }
                var newTerm = onReplica.leadership("job").lead();
                assertThat(newTerm.epoch()).isEqualTo(1L << 32);
                assertThat(onReplica.leadership("other").lead().epoch()).isGreaterThan(1L << 32);
            }
        }
    }

    private static String read(String url, String sql) throws Exception {
        try (Connection connection = DatabaseUrl.parse(url).connector().connect();
                var row = connection.createStatement().executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static Baton proxyForSessions(TestDatabase database, RotatingProxy proxy) {
        String url = "postgres://postgres@127.0.0.1:" + proxy.port() + "/" + database.name();
        return Baton.builder(database.dataSource(), DatabaseUrl.parse(url).connector())
                .open();
    }

    private static Baton poolerForSessions(TestDatabase database, PgBouncer pooler) {
        return Baton.builder(
                        database.dataSource(), DatabaseUrl.parse(pooler.url()).connector())
                .open();
    }
}

package org.pgbaton.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Baton ends no transaction that it did not begin, whatever the pool hands out, and says what to do instead. */
@BatonTest
class TheCallersTransactionTest {
    private static final String SENTENCE = "is in a transaction that Baton did not begin and must not end";

    /** The wrapper between Spring's transaction and the pool. */
    enum Proxies {
        TRANSACTION_AWARE,
        TRANSACTION_AWARE_AND_LAZY
    }

    private record Shop(HikariDataSource pool, DataSource transactional, DataSource aware) implements AutoCloseable {
        static Shop on(TestDatabase database, Proxies proxies) throws SQLException {
            database.execute("CREATE TABLE orders (id int)");
            HikariDataSource pool = newPool(database, true);
            DataSource transactional =
                    proxies == Proxies.TRANSACTION_AWARE ? pool : new LazyConnectionDataSourceProxy(pool);
            return new Shop(pool, transactional, new TransactionAwareDataSourceProxy(transactional));
        }

        TransactionTemplate transactions() {
            return new TransactionTemplate(new DataSourceTransactionManager(transactional));
        }

        void order() {
            new JdbcTemplate(transactional).update("INSERT INTO orders VALUES (1)");
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whateverTheCallerAsksForInASpringTransactionItStaysItsOwn(Proxies proxies, TestDatabase database)
            throws Exception {
        try (Shop shop = Shop.on(database, proxies);
                Baton baton = baton(shop.aware(), database)) {
            var outbox = baton.outbox();
            var events = baton.log("events");
            List<ThrowingCallable> asked = List.of(
                    () -> outbox.sendNow(message()),
                    () -> outbox.sendNow(List.of(message(), message())),
                    () -> events.append(Draft.json("1")),
                    () -> events.appendTo("s", ExpectedVersion.any(), List.of(Draft.json("1"))),
                    () -> events.read().list(),
                    () -> baton.log("events"),
                    () -> baton.leaderStatus());
            for (ThrowingCallable each : asked) {
                shop.transactions().executeWithoutResult(status -> {
                    shop.order();
                    refused(each);
                    status.setRollbackOnly();
                });
            }
            assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("0");
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
            assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void alsoBeforeTheTransactionsFirstStatement(Proxies proxies, TestDatabase database) throws Exception {
        try (Shop shop = Shop.on(database, proxies);
                Baton baton = baton(shop.aware(), database)) {
            var outbox = baton.outbox();
            shop.transactions().executeWithoutResult(status -> {
                refused(() -> outbox.sendNow(message()));
                shop.order();
                status.setRollbackOnly();
            });
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTransactionGoesOnAfterTheRefusalAndTakesTheMessageWithIt(Proxies proxies, TestDatabase database)
            throws Exception {
        try (Shop shop = Shop.on(database, proxies);
                Baton baton = baton(shop.aware(), database)) {
            var outbox = baton.outbox();
            shop.transactions().executeWithoutResult(status -> {
                shop.order();
                refused(() -> outbox.sendNow(message()));
                unchecked(() -> outbox.send(DataSourceUtils.getConnection(shop.transactional()), message()));
                assertThat(unchecked(() -> database.one("SELECT count(*) FROM orders")))
                        .isEqualTo("0");
            });
            assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("1");
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void outsideATransactionTheSameProxiesServeEverything(Proxies proxies, TestDatabase database) throws Exception {
        try (Shop shop = Shop.on(database, proxies);
                Baton baton = baton(shop.aware(), database)) {
            everythingWorks(baton, database);
        }
    }

    @Test
    void aPoolThatHandsOutConnectionsWithAutocommitOffServesEverything(TestDatabase database) throws Exception {
        try (HikariDataSource pool = newPool(database, false);
                Baton baton = baton(pool, database)) {
            everythingWorks(baton, database);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
            }
        }
        try (HikariDataSource pool = newPool(database, false);
                Baton baton = baton(new LazyConnectionDataSourceProxy(pool), database)) {
            baton.outbox().sendNow(message());
        }
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("2");
    }

    /** The ways in which a connection gets into a transaction, and the wrappers that hide the driver. */
    enum LeftOpen {
        WITH_AUTOCOMMIT_OFF,
        BY_A_BEGIN_OF_ITS_OWN,
        FAILED,
        BEHIND_A_WRAPPER_THAT_HIDES_THE_DRIVER
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionThatAPoolHandsOutInATransactionIsLeftAsItIs(LeftOpen how, TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id int)");
        AtomicReference<@Nullable Connection> inTransaction = new AtomicReference<>();
        DataSource careless = handingOut(inTransaction, database);
        try (Baton baton = baton(careless, database);
                Connection left = database.connect()) {
            var events = baton.log("events");
            begin(how, left);
            String transaction = how == LeftOpen.FAILED ? "" : transactionOf(left);
            boolean autocommit = left.getAutoCommit();
            inTransaction.set(how == LeftOpen.BEHIND_A_WRAPPER_THAT_HIDES_THE_DRIVER ? hiding(left) : unclosable(left));

            refused(() -> events.append(Draft.json("1")));
            refused(() -> baton.subscriptions().list());

            inTransaction.set(null);
            assertThat(left.getAutoCommit()).isEqualTo(autocommit);
            if (how != LeftOpen.FAILED) {
                assertThat(transactionOf(left)).isEqualTo(transaction);
            }
            assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("0");
            left.createStatement().execute("ROLLBACK");
        }
        assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("0");
    }

    @Test
    void aSubscriptionSaysWhyItDoesNotGoOnAndGoesOnWhenThePoolIsSound(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id int)");
        AtomicReference<@Nullable Connection> inTransaction = new AtomicReference<>();
        try (Baton baton = baton(handingOut(inTransaction, database), database);
                Connection left = database.connect()) {
            begin(LeftOpen.WITH_AUTOCOMMIT_OFF, left);
            var subscription = baton.subscription("orders")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            database.execute("INSERT INTO baton.events (payload) VALUES ('1')");
            database.drain("orders", Duration.ofSeconds(20));
            inTransaction.set(unclosable(left));
            database.execute("INSERT INTO baton.events (payload) VALUES ('2')");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> String.valueOf(subscription.health()).contains(SENTENCE));
            inTransaction.set(null);
            database.drain("orders", Duration.ofSeconds(20));
            left.rollback();
        }
        assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("0");
    }

    @Test
    void aSessionIsNotOpenedOnAConnectionInATransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id int)");
        try (Connection left = database.connect();
                Baton baton = Baton.builder(database.dataSource(), () -> unclosable(left))
                        .open()) {
            begin(LeftOpen.WITH_AUTOCOMMIT_OFF, left);
            refused(() -> baton.leadership("reports").tryLead());
            left.rollback();
        }
        assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("0");
    }

    @Test
    void whoForgetsTheTransactionIsNotSentToTheCallThatIgnoresIt(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            assertThatThrownBy(() -> baton.outbox().send(connection, message()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit mode")
                    .hasMessageContaining("framework's transaction")
                    .message()
                    .doesNotContain("without a connection")
                    .doesNotContain("sendNow");
        }
    }

    private static void everythingWorks(Baton baton, TestDatabase database) throws Exception {
        database.execute("CREATE TABLE seen (position bigint)");
        baton.subscription("all")
                .on("outbox")
                .project((message, connection) -> {
                    try (Statement insert = connection.createStatement()) {
                        insert.execute("INSERT INTO seen VALUES (" + message.position() + ")");
                    }
                })
                .start();
        baton.outbox().sendNow(message());
        baton.log("events").appendTo("s", ExpectedVersion.none(), List.of(Draft.json("1")));
        database.drain("all", Duration.ofSeconds(20));
        assertThat(database.one("SELECT count(*) FROM seen")).isEqualTo("1");
        assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("1");
        assertThat(baton.log("events").read().list()).hasSize(1);
    }

    private static void begin(LeftOpen how, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (how == LeftOpen.BY_A_BEGIN_OF_ITS_OWN) {
                statement.execute("BEGIN");
            } else {
                connection.setAutoCommit(false);
            }
            statement.execute("INSERT INTO orders VALUES (1)");
            if (how == LeftOpen.FAILED) {
                assertThatThrownBy(() -> statement.execute("SELECT 1/0")).isInstanceOf(SQLException.class);
            }
        }
    }

    private static String transactionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_current_xact_id()")) {
            row.next();
            return row.getString(1);
        }
    }

    /** A pool that hands out sound connections, until there is one in a transaction. */
    private static DataSource handingOut(AtomicReference<@Nullable Connection> inTransaction, TestDatabase database) {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection left = inTransaction.get();
                return left == null ? database.connect() : left;
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                throw new SQLFeatureNotSupportedException();
            }
        };
    }

    /** As a pool hands it out: closing gives it back. */
    private static Connection unclosable(Connection connection) {
        return wrapped(connection, "close");
    }

    private static Connection hiding(Connection connection) {
        return wrapped(connection, "close", "unwrap");
    }

    private static Connection wrapped(Connection connection, String... kept) {
        return (Connection) Proxy.newProxyInstance(
                TheCallersTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (List.of(kept).contains(method.getName())) {
                        if (method.getName().equals("unwrap")) {
                            throw new SQLException("not a wrapper for that");
                        }
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException theirs) {
                        throw theirs.getCause();
                    }
                });
    }

    private static HikariDataSource newPool(TestDatabase database, boolean autocommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setAutoCommit(autocommit);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private static Baton baton(DataSource pool, TestDatabase database) {
        return Baton.builder(pool, database::connect).open();
    }

    private static Draft message() {
        return Draft.json("{}").topic("orders");
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        DatabaseException.class,
                        refusal -> assertThat(refusal.fault()).isEqualTo(Fault.IN_TRANSACTION))
                .hasMessageStartingWith("Cannot ")
                .hasMessageContaining(SENTENCE)
                .hasMessageContaining("pass the connection to the call");
    }

    private static <T> T unchecked(Callable<T> call) {
        try {
            return call.call();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}

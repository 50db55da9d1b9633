package org.pgbaton.bench.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.io.OutputStream;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * One candidate that campaigns with Spring Integration's leader initiator over its JDBC lock registry:
 * {@code <jdbcUrl> <user> <password> <lockName> <instanceName>}.
 *
 * <ol>
 *   <li>{@code READY <instance>}: it campaigns, leading or not.
 *   <li>{@code LEADING <instance> <nanoTime>}: the candidate was granted leadership.
 *   <li>{@code LOST <instance> <nanoTime>}: the candidate's leadership was revoked.
 *   <li>SIGTERM, or the end of stdin: the application context closes, which stops the initiator and deletes the lock.
 * </ol>
 */
public final class SpringIntegrationPeer {

    /** As in the library's schema-postgresql.sql. {@code IF NOT EXISTS} alone fails when several start at once. */
    private static final String LOCK_TABLE =
            """
            DO $$ BEGIN
                PERFORM pg_advisory_xact_lock(hashtext('INT_LOCK'));
                CREATE TABLE IF NOT EXISTS INT_LOCK (
                    LOCK_KEY CHAR(36) NOT NULL,
                    REGION VARCHAR(100) NOT NULL,
                    CLIENT_ID CHAR(36),
                    CREATED_DATE TIMESTAMP NOT NULL,
                    constraint INT_LOCK_PK primary key (LOCK_KEY, REGION)
                );
            END $$
            """;

    private SpringIntegrationPeer() {}

    public static void main(String[] args) throws Exception {
        String instance = args[4];
        HikariDataSource dataSource = pool(args[0], args[1], args[2], instance);
        new JdbcTemplate(dataSource).execute(LOCK_TABLE);

        var context = new AnnotationConfigApplicationContext();
        context.registerBean(DataSource.class, () -> dataSource);
        context.registerBean(Candidate.class, () -> candidate(instance, args[3]));
        context.register(LeaderElection.class);
        context.registerShutdownHook();
        context.refresh();
        say("READY " + instance);

        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    /** The beans of the reference manual, with the transaction manager that Spring Boot would provide. */
    @Configuration(proxyBeanMethods = false)
    static class LeaderElection {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        DefaultLockRepository lockRepository(DataSource dataSource) {
            var repository = new DefaultLockRepository(dataSource);
            // The manual's hint for PostgreSQL, not its default: keeps the followers' errors out of the server's log.
            if (Boolean.getBoolean("peer.onConflictDoNothing")) {
                repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
            }
            return repository;
        }

        @Bean
        LockRegistryLeaderInitiator leaderInitiator(DefaultLockRepository lockRepository, Candidate candidate) {
            return new LockRegistryLeaderInitiator(new JdbcLockRegistry(lockRepository), candidate);
        }
    }

    private static Candidate candidate(String instance, String lockName) {
        return new AbstractCandidate(instance, lockName) {
            @Override
            public void onGranted(Context context) {
                say("LEADING " + instance + " " + System.nanoTime());
            }

            @Override
            public void onRevoked(Context context) {
                say("LOST " + instance + " " + System.nanoTime());
            }
        };
    }

    private static HikariDataSource pool(String jdbcUrl, String user, String password, String instance) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(jdbcUrl);
        pool.setUsername(user);
        pool.setPassword(password);
        pool.addDataSourceProperty("ApplicationName", instance);
        pool.setMaximumPoolSize(2);
        return pool;
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

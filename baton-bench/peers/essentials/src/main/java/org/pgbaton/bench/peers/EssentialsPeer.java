package org.pgbaton.bench.peers;

import com.zaxxer.hikari.HikariDataSource;
import dk.cloudcreate.essentials.components.distributed.fencedlock.postgresql.PostgresqlFencedLockManager;
import dk.cloudcreate.essentials.components.foundation.fencedlock.LockCallback;
import dk.cloudcreate.essentials.components.foundation.fencedlock.LockName;
import dk.cloudcreate.essentials.components.foundation.transaction.UnitOfWorkException;
import dk.cloudcreate.essentials.components.foundation.transaction.jdbi.JdbiUnitOfWorkFactory;
import java.io.OutputStream;
import java.time.Duration;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.postgres.PostgresPlugin;

/**
 * One candidate that campaigns with Essentials' fenced lock:
 * {@code <jdbcUrl> <user> <password> <lockName> <instanceName>}.
 *
 * <ol>
 *   <li>{@code READY <instance>}: it campaigns, leading or not.
 *   <li>{@code LEADING <instance> <nanoTime>}: the library's callback says that the lock was acquired.
 *   <li>{@code LOST <instance> <nanoTime>}: the library's callback says that the lock was released.
 *   <li>SIGTERM, or the end of stdin: the campaign is cancelled, which releases the lock.
 * </ol>
 */
public final class EssentialsPeer {

    // The lock manager demands both and has no defaults. These are the ones of its Spring Boot starter
    // (EssentialsComponentsProperties.FencedLockManagerProperties); the README's example has 3 s and 1 s.
    private static final Duration LOCK_TIME_OUT = duration("peer.lockTimeOut", "PT15S");
    private static final Duration LOCK_CONFIRMATION_INTERVAL = duration("peer.lockConfirmationInterval", "PT4S");

    private static final int TABLE_ATTEMPTS = 5;

    private EssentialsPeer() {}

    public static void main(String[] args) throws Exception {
        String instance = args[4];
        LockName lockName = LockName.of(args[3]);
        HikariDataSource dataSource = pool(args[0], args[1], args[2], instance);
        PostgresqlFencedLockManager lockManager = startLockManager(dataSource, instance);

        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            lockManager.cancelAsyncLockAcquiring(lockName);
            lockManager.stop();
            dataSource.close();
        }));
        lockManager.acquireLockAsync(
                lockName,
                LockCallback.lockCallback(
                        acquired -> say("LEADING " + instance + " " + System.nanoTime()),
                        released -> say("LOST " + instance + " " + System.nanoTime())));
        say("READY " + instance);

        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    /**
     * The library creates its table with a plain {@code IF NOT EXISTS}. If several processes start at once, some of
     * them fail.
     */
    private static PostgresqlFencedLockManager startLockManager(HikariDataSource dataSource, String instance) {
        Jdbi jdbi = Jdbi.create(dataSource).installPlugin(new PostgresPlugin());
        for (int attempt = 1; ; attempt++) {
            try {
                return PostgresqlFencedLockManager.builder()
                        .setJdbi(jdbi)
                        .setUnitOfWorkFactory(new JdbiUnitOfWorkFactory(jdbi))
                        // The default is the host name, which all candidates of the benchmark share.
                        .setLockManagerInstanceId(instance)
                        .setLockTimeOut(LOCK_TIME_OUT)
                        .setLockConfirmationInterval(LOCK_CONFIRMATION_INTERVAL)
                        .buildAndStart();
            } catch (UnitOfWorkException tableNotCreated) {
                if (attempt == TABLE_ATTEMPTS) {
                    throw tableNotCreated;
                }
            }
        }
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

    private static Duration duration(String property, String fallback) {
        return Duration.parse(System.getProperty(property, fallback));
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

package org.pgbaton.bench.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * One candidate that campaigns with ShedLock: {@code <jdbcUrl> <user> <password> <lockName> <instanceName>}. ShedLock
 * guards scheduled tasks, so leadership is a task that does not end, and the campaign is its schedule: every second.
 *
 * <ol>
 *   <li>{@code READY <instance>}: the task is scheduled.
 *   <li>{@code LEADING <instance> <nanoTime>}: the task got the lock and runs; the keep-alive extends the lock.
 *   <li>{@code LOST <instance> <nanoTime>}: the task ended, just before its lock is released. ShedLock does not tell
 *       a running task that its lock was lost, so this line comes with a graceful end only.
 *   <li>SIGTERM, or the end of stdin: the task ends, which releases the lock.
 * </ol>
 */
public final class ShedLockPeer {

    /** ShedLock has no default. This is the least that the keep-alive accepts, and thus the fastest takeover. */
    private static final Duration LOCK_AT_MOST_FOR = Duration.ofSeconds(30);

    /** As in the library's README. {@code IF NOT EXISTS} alone fails when several start at once. */
    private static final String LOCK_TABLE =
            """
            DO $$ BEGIN
                PERFORM pg_advisory_xact_lock(hashtext('shedlock'));
                CREATE TABLE IF NOT EXISTS shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL,
                    locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name));
            END $$
            """;

    private static final CompletableFuture<Void> resignation = new CompletableFuture<>();

    private ShedLockPeer() {}

    public static void main(String[] args) throws Exception {
        String instance = args[4];
        HikariDataSource dataSource = pool(args[0], args[1], args[2], instance);
        new JdbcTemplate(dataSource).execute(LOCK_TABLE);

        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        LockingTaskExecutor executor = executor(dataSource, instance);
        ScheduledFuture<?> campaign = scheduler.scheduleWithFixedDelay(
                () -> leadIfLockIsFree(executor, args[3], instance), 0, 1, TimeUnit.SECONDS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            campaign.cancel(false);
            resignation.complete(null);
            // Queues behind the task, which releases its lock when it ends.
            CompletableFuture.runAsync(dataSource::close, scheduler).join();
        }));
        say("READY " + instance);

        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    /** The provider of ShedLock's README, wrapped as the README says for tasks without a known end. */
    private static LockingTaskExecutor executor(HikariDataSource dataSource, String instance) {
        var provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(dataSource))
                .usingDbTime()
                // The default is the host name, which all candidates of the benchmark share.
                .withLockedByValue(instance)
                .build());
        return new DefaultLockingTaskExecutor(
                new KeepAliveLockProvider(provider, Executors.newSingleThreadScheduledExecutor()));
    }

    private static void leadIfLockIsFree(LockingTaskExecutor executor, String lockName, String instance) {
        try {
            Runnable task = () -> leadUntilResignation(instance);
            executor.executeWithLock(
                    task, new LockConfiguration(ClockProvider.now(), lockName, LOCK_AT_MOST_FOR, Duration.ZERO));
        } catch (RuntimeException failed) {
            // Report it and try again, as a framework's scheduler does.
            failed.printStackTrace();
        }
    }

    private static void leadUntilResignation(String instance) {
        say("LEADING " + instance + " " + System.nanoTime());
        resignation.join();
        say("LOST " + instance + " " + System.nanoTime());
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

package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.Connector;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Terms and their threads with odd drivers, with locks of the caller, and while closing. */
@BatonTest
class TermTroubleTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void aDriverThatFailsInAnUnheardOfWayEndsTheTermBeforeItsLockIsFree(TestDatabase database) throws Exception {
        for (Throwable trouble : List.of(
                new OutOfMemoryError("unable to create native thread"), new IllegalStateException("driver is odd"))) {
            Driver driver = new Driver(database);
            try (Baton one = driver.baton("one");
                    Baton two = database.baton("two")) {
                Term first = one.leadership("job").lease(LEASE).lead();
                Candidate second = two.leadership("job").campaign(term -> {});
                awaitStandby(two);
                driver.watched = first;
                driver.trouble = trouble;
                Eventually.isTrue(() -> second.state() == LeadershipState.LEADING);
                assertThat(first.state()).isEqualTo(LeadershipState.LOST);
                assertThat(first.whenOver().get(10, TimeUnit.SECONDS)).contains(trouble.getMessage());
                assertThat(driver.stateWhenClosed).isNotEmpty().containsOnly(LeadershipState.LOST);
            }
        }
    }

    @Test
    void aSessionThatFailsRightAfterItWasWonEndsTheTermBeforeItsLockIsFree(TestDatabase database) throws Exception {
        Driver driver = new Driver(database);
        driver.failsToHoldOn = true;
        try (Baton one = driver.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lease(Duration.ofMinutes(1)).lead();
            assertThat(two.leadership("job").lead(Duration.ofSeconds(10)))
                    .isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(first.state()).isEqualTo(LeadershipState.LOST);
        }
    }

    /** A driver that, once it is told to, throws the given exception at the next statement. */
    private static final class Driver implements Connector {
        private final TestDatabase database;
        private final List<LeadershipState> stateWhenClosed = new CopyOnWriteArrayList<>();
        private volatile Term watched;
        private volatile Throwable trouble;
        private volatile boolean failsToHoldOn;

        Driver(TestDatabase database) {
            this.database = database;
        }

        Baton baton(String who) {
            return Baton.builder(database.dataSource(), this).who(who).open();
        }

        @Override
        public Connection connect() throws SQLException {
            Connection real = database.connect();
            AtomicInteger timeouts = new AtomicInteger();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (trouble != null && method.getName().equals("prepareStatement")) {
                            throw trouble;
                        }
                        // A session sets it once when it is opened, and once more when it has something to hold on to.
                        if (failsToHoldOn
                                && method.getName().equals("setNetworkTimeout")
                                && timeouts.incrementAndGet() > 1) {
                            throw new SQLException("gone", "08006");
                        }
                        if (watched != null && List.of("close", "abort").contains(method.getName())) {
                            stateWhenClosed.add(watched.state());
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }
    }

    @Test
    void aLockOnTheTermInTheCallersCodeDoesNotStopItsHeart(TestDatabase database) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            Term term = baton.leadership("job").lease(LEASE).lead();
            Thread holder = new Thread(() -> {
                synchronized (term) {
                    held.countDown();
                    awaitUninterruptibly(release);
                }
            });
            holder.start();
            held.await();
            long longer = System.nanoTime() + LEASE.multipliedBy(2).toNanos();
            Eventually.isTrue(() -> {
                assertThat(term.state()).isEqualTo(LeadershipState.LEADING);
                return System.nanoTime() > longer;
            });
            term.close();
            assertThat(term.state()).isEqualTo(LeadershipState.LOST);
        } finally {
            release.countDown();
        }
    }

    @Test
    void closingReturnsWhenTheLastThreadIsGone(TestDatabase database) throws Exception {
        try (Baton other = database.baton("other")) {
            other.leadership("held").lead();
            for (int round = 0; round < 10; round++) {
                Set<Thread> before = threads();
                Baton baton = database.baton("me");
                baton.addLeadershipListener(change -> {});
                Candidate candidate = baton.leadership("job").campaign(term -> {});
                baton.leadership("held").campaign(term -> {});
                baton.leadership("third").lead();
                Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
                baton.close();
                Set<Thread> left = threads();
                left.removeAll(before);
                for (Thread thread : left) {
                    thread.join(200); // a pool reports that it has ended a moment before its thread ends
                }
                assertThat(left).noneMatch(Thread::isAlive);
            }
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("baton-"))
                .collect(Collectors.toSet());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void awaitStandby(Baton observer) {
        Eventually.isTrue(() -> observer.leaderStatus().get(0).standbys().size() == 1);
    }
}

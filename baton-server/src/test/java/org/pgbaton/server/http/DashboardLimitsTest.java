package org.pgbaton.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.dashboard.look.Looks;
import org.pgbaton.dashboard.look.MessageSearch;
import org.pgbaton.dashboard.look.Rows;
import org.pgbaton.dashboard.look.Snapshot;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** However many look, search and act, and however slow the database is: the dashboard asks little of it, and answers soon. */
@BatonTest
class DashboardLimitsTest {
    private static final int MANY = 20;

    /** All of them ask while the first look waits for a lock; when it is over, all of them have that look. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void allWhoAskAtOnceShareOneLook(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk");
                Connection holder = database.connect()) {
            Looks looks = new Looks(new Rows(baton), System::nanoTime);
            Set<Snapshot> seen = ConcurrentHashMap.newKeySet();
            AtomicInteger answered = new AtomicInteger();
            lock(holder, "LOCK TABLE baton.log IN ACCESS EXCLUSIVE MODE");
            List<Thread> viewers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                viewers.add(started("viewer-" + i, () -> {
                    seen.add(looks.after(0));
                    answered.incrementAndGet();
                }));
            }
            await().until(() -> viewers.stream()
                                    .filter(each -> each.getState() == Thread.State.TIMED_WAITING)
                                    .count()
                            == MANY - 1
                    || answered.get() > 0);
            assertThat(waitingFor(database)).as("sessions that look").isLessThanOrEqualTo(1);
            holder.rollback();

            await().atMost(Duration.ofSeconds(30)).until(() -> answered.get() == MANY);
            assertThat(seen).hasSize(1);
        }
    }

    @Test
    void nobodyLooksMoreOftenThanOnceASecond(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk")) {
            AtomicLong clock = new AtomicLong();
            Looks looks = new Looks(new Rows(baton), clock::get);
            Snapshot first = looks.current();
            clock.addAndGet(Duration.ofMillis(999).toNanos());
            assertThat(looks.current()).isSameAs(first);
            clock.addAndGet(Duration.ofMillis(1).toNanos());
            assertThat(looks.current().number()).isEqualTo(first.number() + 1);
        }
    }

    /** Its clock goes on by two seconds each time it is read: the statements themselves are quick. */
    @Test
    void aSearchThatTakesTooLongIsGivenUp(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk")) {
            Rows rows = new Rows(baton);
            for (int i = 0; i < 4; i++) {
                baton.log("events").append(Draft.json("{}").key("K"));
            }
            Snapshot now = new Looks(rows, System::nanoTime).current();
            assertThat(new MessageSearch(rows, System::nanoTime).find("K", now)).hasSize(4);

            AtomicLong clock = new AtomicLong();
            MessageSearch slow = new MessageSearch(
                    rows, () -> clock.addAndGet(Duration.ofSeconds(2).toNanos()));
            assertThatThrownBy(() -> slow.find("K", now))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("The search took more than 5 s: try again in a moment.")
                    .extracting(refused -> ((RefusedException) refused).status())
                    .isEqualTo(503);
        }
    }

    /** The limit is 200. Somebody who came before the others, but begins to read after them, gets nothing and asks again. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void thereAreOnlySoManyViewersOfLivePages(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk")) {
            Dashboard dashboard = Dashboard.of(baton).build();
            CountDownLatch end = new CountDownLatch(1);
            AtomicInteger watching = new AtomicInteger();
            Answer.Events early = (Answer.Events) live(dashboard);
            for (int i = 0; i < 200; i++) {
                Answer.Events events = (Answer.Events) live(dashboard);
                started("viewer-" + i, () -> events.stream().run(untilTheEnd(watching, end)));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> watching.get() == 200);

            Answer.Whole refused = (Answer.Whole) live(dashboard);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body()).contains("There are 200 viewers already; reload the page by hand.");
            AtomicInteger sent = new AtomicInteger();
            early.stream().run((event, data) -> {
                sent.incrementAndGet();
                return false;
            });
            assertThat(sent).hasValue(0);

            end.countDown();
            await().atMost(Duration.ofSeconds(30)).until(() -> live(dashboard) instanceof Answer.Events);
        }
    }

    /** Whoever may not look any more would otherwise go on looking. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void aLivePageEndsAfterAWhileAndTheBrowserAsksAgain(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk")) {
            Dashboard dashboard =
                    Dashboard.of(baton).liveFor(Duration.ofMillis(1)).build();
            List<String> sent = new ArrayList<>();
            ((Answer.Events) live(dashboard)).stream().run((event, data) -> sent.add(event));
            assertThat(sent).contains("region", "beat").endsWith("again");
        }
    }

    /** Blocks at the first event, and then says that the viewer has gone. */
    private static Answer.Sink untilTheEnd(AtomicInteger watching, CountDownLatch end) {
        return (event, data) -> {
            watching.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
            return false;
        };
    }

    /** Somebody has the row of the subscription. The operator is answered all the same; and it is done when the row is free. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void anActionThatTheDatabaseHoldsUpIsAnsweredSoon(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("desk");
                Connection holder = database.connect()) {
            baton.subscription("balances")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            Dashboard dashboard = Dashboard.of(baton).build();
            lock(holder, "SELECT FROM baton.subscription WHERE name = 'balances' FOR UPDATE");

            Answer.Whole late = pause(dashboard);
            assertThat(late.status()).as(late.body()).isEqualTo(504);
            assertThat(late.body())
                    .contains("The database has not answered within 8 s."
                            + " It may still do it: look at the actions before you try again.");

            List<Thread> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(started("operator-" + i, () -> pause(dashboard)));
            }
            await().until(() -> waitingFor(database) >= 4);
            Answer.Whole tooMany = pause(dashboard);
            assertThat(tooMany.status()).isEqualTo(503);
            assertThat(tooMany.body()).contains("4 actions still wait for the database, so nothing was done");

            holder.rollback();
            await().atMost(Duration.ofSeconds(30)).until(() -> paused(database) == 4);
            for (Thread other : others) {
                other.join();
            }
            assertThat(pause(dashboard).status()).as("there is room again").isEqualTo(200);
        }
    }

    private static Answer.Whole pause(Dashboard dashboard) throws InterruptedException {
        return (Answer.Whole) dashboard.answer(new Request(
                "POST",
                "/api/v1/actions/pause",
                Map.of(),
                Map.of("subscription", "balances", "reason", "a test"),
                Map.of("x-baton-csrf", "1"),
                new Viewer("olga", Role.OPERATOR, false)));
    }

    private static Answer live(Dashboard dashboard) throws InterruptedException {
        return dashboard.answer(new Request(
                "GET",
                "/live",
                Map.of("view", "/leaders"),
                Map.of(),
                Map.of(),
                new Viewer("rita", Role.READER, false)));
    }

    private static int paused(TestDatabase database) throws Exception {
        return Integer.parseInt(database.one("SELECT count(*) FROM baton.action WHERE what = 'pause'"));
    }

    private static int waitingFor(TestDatabase database) throws Exception {
        return Integer.parseInt(
                database.one(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"));
    }

    private static void lock(Connection holder, String sql) throws Exception {
        holder.setAutoCommit(false);
        try (Statement statement = holder.createStatement()) {
            statement.execute(sql);
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private static Thread started(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (Exception failed) {
                        throw new IllegalStateException(failed);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}

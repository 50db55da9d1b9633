package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.store.MailFolder;
import com.icegreen.greenmail.store.StoredMessage;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.Signals;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * Three {@code baton serve} from a table to a webhook, to mails and to a Slack that hangs, while the one that reads the WAL is killed, frozen
 * and cut off, and the server crashes: the log has each change once, webhook and mails get each, in order per key, and without waiting for
 * Slack; which gets each when it answers again.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class TheHungChannelDelaysNobodyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Much more than a commit that waits for nothing but its mail needs, even beside other tests, and less than Slack's 15 s. */
    private static final double PROMPT_MILLIS = 10_000;

    private static final int CALM_CHANGES = 500;

    private final CountDownLatch slackAnswers = new CountDownLatch(1);
    private final List<Served> served = new ArrayList<>();

    /** When all faults were over and made up for. */
    private Instant calmSince = Instant.MAX;

    @TempDir
    private Path folder;

    @Test
    void throughCrashesOfReaderAndServer() throws Exception {
        run(1, 2_000);
    }

    @Test
    @Tag("heavy")
    void throughManyCrashesOfReaderAndServer() throws Exception {
        run(6, 50_000);
    }

    private void run(int rounds, int changes) throws Exception {
        GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
        mails.start();
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                Receiver receiver = Receiver.start()) {
            receiver.answer(this::answer);
            NumberedAlerts.createTable(database);
            Path file = file(receiver, mails.getSmtp().getPort());
            try {
                for (int i = 0; i < 3; i++) {
                    served.add(Served.start(database.url(), file));
                }
                served.get(0).cli().awaitError("Capture 'alerts' is running.");
                try (NumberedAlerts alerts = NumberedAlerts.start(database, 80)) {
                    for (int round = 0; round < rounds; round++) {
                        disturb(server, database, file);
                    }
                    long then = alerts.made();
                    await().atMost(Duration.ofMinutes(5))
                            .until(() -> inbox(mails).getMessageCount() >= then);
                    calmSince = Instant.now();
                    await().atMost(Duration.ofMinutes(10))
                            .until(() -> alerts.made() >= Math.max(changes, then + CALM_CHANGES));
                }
                check(database, receiver, mails);
            } finally {
                slackAnswers.countDown();
                served.forEach(Served::close);
            }
        } finally {
            mails.stop();
        }
    }

    private int answer(Receiver.Received received) {
        if (received.path().equals("/slack")) {
            try {
                slackAnswers.await();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }
        return 204;
    }

    private Path file(Receiver receiver, int smtp) throws Exception {
        return Files.writeString(
                folder.resolve("baton.yaml"), """
                captures:
                  - {name: alerts, tables: [public.alert], operations: [insert], key: [k], channels: [ops, mail, slack]}
                channels:
                  - name: ops
                    webhook: {url: "%s", allow-private: true}
                  - name: mail
                    mail: {host: 127.0.0.1, port: %d, tls: none, from: a@example.com, to: [ops@example.com]}
                    template: {subject: "{{key}} {{row.n}} {{committedAt}}", text: "."}
                  - name: slack
                    slack: {url: "%s", allow-private: true}
                    template: "{{key}} {{row.n}}"
                    backoff: {longest: 1s}
                """.formatted(receiver.url("/ops"), smtp, receiver.url("/slack")));
    }

    private void disturb(TestServer server, TestDatabase database, Path file) throws Exception {
        awaitProgress(database);
        Served killed = reader(database);
        killed.close();
        served.remove(killed);
        awaitProgress(database);
        served.add(Served.start(database.url(), file));

        Served frozen = reader(database);
        Signals.freeze(frozen.cli().pid());
        await().atMost(PATIENCE).until(() -> reader(database) != frozen);
        awaitProgress(database);
        Signals.thaw(frozen.cli().pid());

        database.execute("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active");
        awaitProgress(database);

        server.postgres().stop(StopMode.IMMEDIATE);
        server.postgres().start();
        awaitProgress(database);
    }

    /** While nobody has begun a term, the view shows whoever holds the lock under another name. */
    private Served reader(TestDatabase database) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> owner(database), Optional::isPresent)
                .orElseThrow();
    }

    private Optional<Served> owner(TestDatabase database) throws SQLException {
        String owner = database.one("SELECT owner FROM baton.capture_status");
        return served.stream()
                .filter(each -> owner.endsWith("/" + each.cli().pid()))
                .findFirst();
    }

    private static void awaitProgress(TestDatabase database) {
        long before = captured(database);
        await().atMost(PATIENCE).until(() -> captured(database) > before + 200);
    }

    private static long captured(TestDatabase database) {
        return await().ignoreExceptions()
                .until(
                        () -> Long.parseLong(database.one("SELECT changes FROM baton.capture_status")),
                        number -> number >= 0);
    }

    private void check(TestDatabase database, Receiver receiver, GreenMail mails) throws Exception {
        int made = Integer.parseInt(database.one("SELECT count(*) FROM public.alert"));
        awaitDelivered(database, "alerts-ops");
        awaitDelivered(database, "alerts-mail");
        assertThat(slackAnswers.getCount()).as("Slack still hangs").isEqualTo(1);

        checkLog(database, made);
        checkOrder("ops", ops(database, receiver), made);
        List<Double> delays = new ArrayList<>();
        checkOrder("mail", mails(mails, calmSince, delays), made);
        delays.sort(null);
        double median = delays.get(delays.size() / 2);
        System.out.printf(
                "%,d changes; from commit to mail, while Slack hangs and nothing else is wrong: %.0f ms (median), %.0f ms (99 %%), %.0f ms (worst)%n",
                made, median, delays.get(delays.size() * 99 / 100), delays.get(delays.size() - 1));
        assertThat(median).as("median from commit to mail").isLessThan(PROMPT_MILLIS);

        slackAnswers.countDown();
        awaitDelivered(database, "alerts-slack");
        List<String> told = receiver.at("/slack").stream()
                .map(each -> each.body().replaceAll("\\{\"text\":\"(.*)\"}", "$1"))
                .toList();
        checkOrder("slack", told, made);
    }

    private static void awaitDelivered(TestDatabase database, String subscription) {
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> database.one("""
                        SELECT s.lag_positions || ' ' || s.set_aside_keys || ' ' || s.parked_keys || ' ' ||
                               ((SELECT count(*) FROM baton.alerts) - (SELECT count(*) FROM public.alert))
                          FROM baton.subscription_status s WHERE s.name = ?""", subscription).equals("0 0 0 0"));
    }

    private static void checkLog(TestDatabase database, int made) throws SQLException {
        assertThat(database.one("""
                SELECT count(*) || ' ' || count(DISTINCT (key, payload -> 'after' ->> 'n')) || ' ' || count(DISTINCT id) FROM baton.alerts""")).as("each change once").isEqualTo(made + " " + made + " " + made);
        assertThat(database.one("""
                SELECT count(*) FROM (SELECT (payload ->> 'lsn')::pg_lsn < lag((payload ->> 'lsn')::pg_lsn) OVER (ORDER BY position) AS late
                                        FROM baton.alerts) a WHERE late""")).as("not in the order of the commits").isEqualTo("0");
    }

    /** "key number", in the order of arrival; and the id of each must be the one in the log, each time. */
    private static List<String> ops(TestDatabase database, Receiver receiver) throws SQLException {
        Map<String, String> ids = new HashMap<>();
        for (String line : database.one(
                        "SELECT string_agg(key || ' ' || (payload -> 'after' ->> 'n') || '=' || id, E'\\n') FROM baton.alerts")
                .split("\n")) {
            ids.put(line.split("=")[0], line.split("=")[1]);
        }
        List<String> arrived = new ArrayList<>();
        for (Receiver.Received each : receiver.at("/ops")) {
            String number = each.body().replaceAll(".*\"n\":(\\d+).*", "$1");
            String change = each.key() + " " + number;
            assertThat(each.header("webhook-id")).as(change).isEqualTo(ids.get(change));
            arrived.add(change);
        }
        return arrived;
    }

    private static MailFolder inbox(GreenMail mails) throws Exception {
        return mails.getManagers()
                .getImapHostManager()
                .getInbox(mails.getUserManager().getUserByEmail("ops@example.com"));
    }

    /** "key number", in the order of arrival; and how long each took that was committed since then, the first time. */
    private static List<String> mails(GreenMail mails, Instant since, List<Double> delays) throws Exception {
        Map<String, String> ids = new HashMap<>();
        List<String> arrived = new ArrayList<>();
        for (StoredMessage each : inbox(mails).getMessages()) {
            String[] words = each.getMimeMessage().getSubject().split(" ");
            String change = words[0] + " " + words[1];
            String id = each.getMimeMessage().getMessageID();
            Instant committed = Instant.parse(words[2]);
            String before = ids.putIfAbsent(change, id);
            if (before != null) {
                assertThat(id).as(change).isEqualTo(before);
            } else if (committed.isAfter(since)) {
                delays.add((double)
                        Duration.between(committed, each.getReceivedDate().toInstant())
                                .toMillis());
            }
            arrived.add(change);
        }
        assertThat(ids.values()).doesNotHaveDuplicates();
        return arrived;
    }

    /** Each key's numbers without a hole, the first time they come. */
    private static void checkOrder(String channel, List<String> arrived, int made) {
        Map<String, Long> last = new HashMap<>();
        for (String each : arrived) {
            String key = each.substring(0, each.indexOf(' '));
            long number = Long.parseLong(each.substring(key.length() + 1));
            long expected = last.getOrDefault(key, 0L) + 1;
            assertThat(number).as("%s: of %s", channel, key).isLessThanOrEqualTo(expected);
            last.put(key, Math.max(number, expected - 1));
        }
        assertThat(last.values().stream().mapToLong(each -> each).sum())
                .as("%s was told of", channel)
                .isEqualTo(made);
    }
}

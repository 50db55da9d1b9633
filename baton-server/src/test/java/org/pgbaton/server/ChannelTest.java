package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Channels on a real log, to real HTTP servers. */
@BatonTest
@Timeout(60)
class ChannelTest {
    @TempDir
    private Path folder;

    private Receiver receiver;

    ChannelTest() throws Exception {
        receiver = Receiver.start();
    }

    @BeforeEach
    void patience() {
        org.awaitility.Awaitility.setDefaultTimeout(Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    private String webhook(String name, String... more) {
        return "- name: " + name + "\n  source: alerts\n  webhook: {url: '" + receiver.url("/" + name)
                + "', allow-private: true}\n" + String.join("\n", more).indent(2);
    }

    @Test
    void withoutATemplateAWebhookGetsTheChangeAsItIs(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            alerts.start(folder, webhook("ops"));
            Appended sent = alerts.insert("P7", "{\"k\": \"P7\", \"amount\": 10.50}");
            await().until(() -> receiver.all().size() == 1);

            Receiver.Received received = receiver.all().get(0);
            assertThat(received.body())
                    .isEqualTo(
                            "{\"table\":\"public.alert\",\"operation\":\"insert\",\"before\":null,\"after\":{\"k\": \"P7\","
                                    + " \"amount\": 10.50},\"lsn\":\"0/16B3748\",\"committedAt\":\"2026-01-01T12:00:00.123456Z\"}");
            assertThat(received.header("webhook-id")).isEqualTo(sent.id().toString());
            assertThat(received.header("baton-type")).isEqualTo("public.alert.insert");
            assertThat(received.header("baton-subscription")).isEqualTo("alerts-ops");
            assertThat(received.key()).isEqualTo("P7");
        }
    }

    @Test
    void aChannelStartsNowOrAtTheOriginAsTold(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            alerts.insert("P1", "{\"n\": 1}");
            alerts.start(folder, webhook("fresh") + webhook("all", "start: origin"));
            alerts.insert("P1", "{\"n\": 2}");

            await().until(() -> receiver.all().size() == 3);
            assertThat(receiver.at("/fresh")).hasSize(1);
            assertThat(receiver.at("/all")).hasSize(2);
        }
    }

    @Test
    void oneThatHangsHoldsUpNoOther(TestDatabase database) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        receiver.answer(received -> {
            if (received.path().equals("/hung")) {
                try {
                    over.await();
                } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                }
            }
            return 204;
        });
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            alerts.start(folder, webhook("hung") + webhook("ops"));
            for (int i = 0; i < 50; i++) {
                alerts.insert("P" + i % 5, "{\"n\": " + i + "}");
            }
            await().until(() -> receiver.at("/ops").size() == 50);
            over.countDown();
            await().until(() -> receiver.at("/hung").stream()
                            .map(Receiver.Received::position)
                            .distinct()
                            .count()
                    == 50);
        }
    }

    @Test
    void whatCannotBeToldOrWrittenParksItsKeyAndTheChannelGoesOn(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            Subscription subscription = alerts.start(
                    folder,
                    webhook(
                            "ops",
                            "when: [{columns: {n: {'>': 1}}}]",
                            "template: '{\"n\": {{row.n}}, \"text\": \"{{row.text}}\"}'"));
            alerts.insert("a", "{\"n\": 1, \"text\": \"too little\"}");
            alerts.insert("b", "{\"n\": \"many\", \"text\": \"\"}");
            alerts.insert("b", "{\"n\": 5, \"text\": \"behind\"}");
            alerts.insert("c", "{\"n\": 5}");
            alerts.insert("d", "{\"n\": 5, \"text\": \"\\\"quoted\\\"\"}");

            await().until(() -> subscription.stats().keysParked() == 2);
            await().until(() -> receiver.all().size() == 1);
            assertThat(receiver.all().get(0).body()).isEqualTo("{\"n\": 5, \"text\": \"\\\"quoted\\\"\"}");
            assertThat(database.one("SELECT error FROM baton.parked WHERE key = 'b'"))
                    .contains("of column 'n' the text 'many' cannot be compared with the number 1");
            assertThat(database.one("SELECT error FROM baton.parked WHERE key = 'c'"))
                    .isEqualTo(
                            "The template has {{row.text}} in line 1, and this insert of public.alert has nothing of that name.");
            assertThat(database.one("SELECT count(*) FROM baton.parked_message"))
                    .isEqualTo("3");
        }
    }

    @Test
    void slackGetsATextInWhichNobodyIsCalled(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            alerts.start(
                    folder,
                    "- {name: a, source: alerts, slack: {url: '" + receiver.url("/services/T1/s3cret")
                            + "', allow-private: true}, template: '*{{row.v}}*'}\n- {name: b, source: alerts, slack: {url: '"
                            + receiver.url("/plain") + "', allow-private: true}}");
            alerts.insert("P7", "{\"v\": \"<!channel>\"}");

            await().until(() -> receiver.all().size() == 2);
            assertThat(receiver.at("/services/T1/s3cret").get(0).body()).isEqualTo("{\"text\":\"*&lt;!channel&gt;*\"}");
            assertThat(receiver.at("/plain").get(0).body())
                    .isEqualTo("{\"text\":\"insert into public.alert, key P7: v=&lt;!channel&gt;\"}");
        }
    }

    @Test
    void mailHasItsThreeTemplates(TestDatabase database) throws Exception {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", "smtp");
        setup.setServerStartupTimeout(20_000);
        GreenMail server = new GreenMail(setup);
        server.start();
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            String mail = "source: alerts, mail: {host: 127.0.0.1, port: "
                    + server.getSmtp().getPort() + ", tls: none, from: a@example.com, to: [ops@example.com]}";
            alerts.start(
                    folder,
                    "- {name: own, " + mail
                            + ", template: {subject: 'Limit: {{row.v}}', text: '{{row.v}}', html: '<b>{{row.v}}</b>'}}\n"
                            + "- {name: plain, " + mail + "}");
            alerts.insert("P7", "{\"v\": \"<i>\\r\\nBcc: evil@example.com\"}");

            await().until(() -> server.getReceivedMessages().length == 2);
            Map<String, String> shown = new HashMap<>();
            for (MimeMessage each : server.getReceivedMessages()) {
                assertThat(each.getHeader("Bcc")).isNull();
                Object content = each.getContent();
                Object html = content instanceof MimeMultipart parts
                        ? parts.getBodyPart(1).getContent()
                        : content;
                shown.put(each.getSubject(), html.toString().strip());
            }
            assertThat(shown)
                    .containsOnly(
                            Map.entry("Limit: <i> Bcc: evil@example.com", "<b>&lt;i&gt;\r\nBcc: evil@example.com</b>"),
                            Map.entry(
                                    "insert into public.alert, key P7",
                                    "insert into public.alert, key P7: v=<i> Bcc: evil@example.com"));
        } finally {
            server.stop();
        }
    }

    @Test
    void aRateLimitSlowsDownAndCostsNothing(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            for (int i = 0; i < 25; i++) {
                alerts.insert("P" + i % 8, "{\"n\": " + i + "}");
            }
            List<Long> times = new CopyOnWriteArrayList<>();
            receiver.answer(received -> {
                times.add(System.nanoTime());
                return 204;
            });
            Subscription subscription =
                    alerts.start(folder, webhook("ops", "rate-limit: 10/s", "start: origin", "attempts: 1"));
            await().until(() -> times.size() >= 25);
            // Ten at once, then one in each tenth of a second; the first may have taken a while to arrive.
            assertThat(Duration.ofNanos(times.get(24) - times.get(0))).isGreaterThan(Duration.ofSeconds(1));
            assertThat(subscription.stats().keysParked()).isZero();
            assertThat(receiver.all()).hasSize(25).allMatch(each -> "1".equals(each.header("baton-attempt")));
            assertThat(receiver.firstDeliveries().values())
                    .allSatisfy(positions -> assertThat(positions).isSorted());
            assertThat(subscription.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aDigestHasAllChangesOfAKeyAndIsOneMessage(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            Subscription subscription =
                    alerts.start(folder, webhook("ops", "digest: 1s", "when: [{columns: {n: {'>': 0}}}]"));
            for (int i = 0; i < 12; i++) {
                alerts.insert("P" + i % 3, "{\"n\": " + i + "}");
            }
            await().until(() -> subscription.stats().keysAside() == 3);
            assertThat(receiver.all()).isEmpty();
            assertThat(subscription.health().isHealthy()).isTrue();

            await().until(() -> receiver.all().size() == 3);
            assertThat(receiver.all().stream().map(each -> Alerts.numbers(each, "n")))
                    .containsExactlyInAnyOrder(List.of(3, 6, 9), List.of(1, 4, 7, 10), List.of(2, 5, 8, 11));
            assertThat(receiver.all().stream()
                            .map(each -> each.header("webhook-id"))
                            .distinct())
                    .hasSize(3);

            alerts.insert("P1", "{\"n\": 100}");
            await().until(() -> receiver.all().size() == 4);
            assertThat(receiver.all().get(3).body()).startsWith("{\"table\":");
            await().until(() -> subscription.stats().keysAside() == 0);
            assertThat(database.one("SELECT count(*) FROM baton.parked")).isEqualTo("0");
        }
    }

    @Test
    void aDigestThatIsRefusedForOneRowSendsWhatIsBeforeItAndParksThere(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton)) {
            Subscription subscription = alerts.start(
                    folder,
                    webhook(
                            "ops",
                            "digest: 1s",
                            "template: '{\"changes\": [{{#changes}}{\"after\": {\"n\": {{row.n}}}}{{^-last}},{{/-last}}{{/changes}}]}'"));
            alerts.insert("a", "{\"n\": 1}");
            alerts.insert("a", "{\"n\": 2}");
            Appended poison = alerts.insert("a", "{\"m\": 3}");
            alerts.insert("a", "{\"n\": 4}");
            alerts.insert("b", "{\"n\": 5}");

            await().until(() -> subscription.stats().keysParked() == 1);
            await().until(() -> receiver.all().size() == 2);
            assertThat(receiver.all().stream().map(each -> Alerts.numbers(each, "n")))
                    .containsExactlyInAnyOrder(List.of(1, 2), List.of(5));
            assertThat(database.one("SELECT min(position) || ' ' || count(*) FROM baton.parked_message"))
                    .isEqualTo(poison.position() + " 2");
            assertThat(database.one("SELECT error FROM baton.parked")).contains("{{row.n}}");
        }
    }

    @Test
    void aDigestOutlivesItsProcessAndAnOutage(TestDatabase database) throws Exception {
        receiver.answer(received -> 503);
        try (Baton first = database.baton();
                Alerts alerts = Alerts.on(first)) {
            alerts.start(folder, webhook("ops", "digest: 1s", "backoff: {longest: 300ms}"));
            alerts.insert("a", "{\"n\": 1}");
            alerts.insert("a", "{\"n\": 2}");
            await().until(() -> !receiver.all().isEmpty());
        }
        receiver.answer(received -> 204);
        try (Baton second = database.baton();
                Alerts alerts = Alerts.on(second)) {
            int before = receiver.all().size();
            alerts.insert("a", "{\"n\": 3}");
            Subscription subscription = alerts.start(folder, webhook("ops", "digest: 1s"));
            await().until(() ->
                    subscription.stats().keysAside() == 0 && receiver.all().size() > before);
            assertThat(receiver.all().subList(before, receiver.all().size()).stream()
                            .flatMap(each -> Alerts.numbers(each, "n").stream())
                            .toList())
                    .containsExactly(1, 2, 3);
        }
    }
}

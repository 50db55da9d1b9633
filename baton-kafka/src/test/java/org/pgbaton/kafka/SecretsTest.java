package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.slf4j.LoggerFactory;

/** A broker that wants a password and checks permissions: what is needed, what a refusal means, and that no secret is said. */
class SecretsTest {
    private static final String PASSWORD = "do-not-print-me";
    private static TestBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = TestBroker.with().user("app", PASSWORD).authorizing().start();
        broker.topics().create("allowed", 1, Map.of());
        broker.topics().create("forbidden", 1, Map.of());
        try (Admin admin = broker.topics().admin()) {
            // As documented, and no more.
            List<AclBinding> needed = new ArrayList<>();
            needed.add(allow(ResourceType.TOPIC, "allowed", AclOperation.WRITE));
            for (AclOperation operation : List.of(AclOperation.CREATE, AclOperation.READ, AclOperation.WRITE)) {
                needed.add(allow(ResourceType.TOPIC, "baton.progress.", operation));
            }
            needed.add(allow(ResourceType.TRANSACTIONAL_ID, "baton.progress.", AclOperation.WRITE));
            admin.createAcls(needed).all().get(20, TimeUnit.SECONDS);
        }
    }

    private static AclBinding allow(ResourceType type, String name, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.PREFIXED),
                new AccessControlEntry("User:app", "*", operation, AclPermissionType.ALLOW));
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    private static Map<String, String> login(String password) {
        return Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"app\" password=\""
                        + password + "\";");
    }

    private static KafkaPublisher publisher(Map<String, String> login) {
        return KafkaPublisher.to(broker.bootstrapServers())
                .properties(login)
                .timeout(Duration.ofSeconds(8))
                .build();
    }

    private static KafkaTransactionalPublisher transactional(Map<String, String> login) {
        return KafkaTransactionalPublisher.to(broker.bootstrapServers())
                .properties(login)
                .timeout(Duration.ofSeconds(8))
                .build();
    }

    @Test
    void withTheDocumentedPermissionsEverythingWorks() throws Exception {
        try (KafkaPublisher publisher = publisher(login(PASSWORD))) {
            Outbox.published(publisher.publish(Outbox.put("allowed", "a", "1"), Outbox.FIRST));
            assertThat(Outbox.failed(publisher.publish(Outbox.put("forbidden", "a", "1"), Outbox.FIRST))
                            .verdict())
                    .isEqualTo(Verdict.RETRY);
            Outbox.published(publisher.publish(Outbox.put("allowed", "a", "2"), Outbox.FIRST));
        }
        try (KafkaTransactionalPublisher publisher = transactional(login(PASSWORD));
                Feed feed = publisher.open("permitted", 0)) {
            feed.publish(List.of(Outbox.put("allowed", "a", "3")), Outbox.FIRST, Map.of("at", "3"));
            FeedException refused = catchThrowableOfType(
                    FeedException.class,
                    () -> feed.publish(
                            List.of(Outbox.put("allowed", "a", "4"), Outbox.put("forbidden", "b", "4")),
                            Outbox.FIRST,
                            Map.of("at", "4")));
            assertThat(refused.kind()).isEqualTo(FeedException.Kind.MESSAGE);
            assertThat(refused.verdict()).isEqualTo(Verdict.RETRY);
            feed.publish(List.of(Outbox.put("allowed", "a", "5")), Outbox.FIRST, Map.of("at", "5"));
        }
        assertThat(broker.topics().committed("allowed")).hasSize(4);
    }

    @Test
    void withoutPermissionForItsNamesAFeedCannotBeTakenOver() {
        try (KafkaTransactionalPublisher publisher = KafkaTransactionalPublisher.to(broker.bootstrapServers())
                .properties(login(PASSWORD))
                .prefix("other")
                .timeout(Duration.ofSeconds(4))
                .build()) {
            HandlerException refused = catchThrowableOfType(HandlerException.class, () -> publisher.open("orders", 0));
            assertThat(refused.verdict()).isEqualTo(Verdict.STOP);
            assertThat(refused).hasMessageContaining("other.progress.orders").hasMessageContaining("at least once");
        }
    }

    @Test
    void aWrongPasswordIsAnOutageAndNoSecretIsSaid() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Logger kafka = (Logger) LoggerFactory.getLogger("org.apache.kafka");
        Level before = kafka.getLevel();
        List<String> said = new ArrayList<>();
        log.start();
        root.addAppender(log);
        try {
            kafka.setLevel(Level.DEBUG);
            kafka.setAdditive(false);
            kafka.addAppender(log);
            try (KafkaPublisher publisher = publisher(login(PASSWORD))) {
                said.add(publisher + publisher.target());
                Outbox.published(publisher
                        .publish(Outbox.put("allowed-too", "a", "1"), Outbox.FIRST)
                        .exceptionally(refused -> null));
            }
            String wrong = PASSWORD + "-but-wrong";
            try (KafkaPublisher publisher = publisher(login(wrong));
                    KafkaTransactionalPublisher transactional = transactional(login(wrong))) {
                HandlerException failed =
                        Outbox.failed(publisher.publish(Outbox.put("allowed", "a", "1"), Outbox.FIRST));
                assertThat(failed.verdict()).isEqualTo(Verdict.OUTAGE);
                said.add(trace(failed));
                HandlerException refused =
                        catchThrowableOfType(HandlerException.class, () -> transactional.open("orders", 0));
                assertThat(refused.verdict()).isEqualTo(Verdict.OUTAGE);
                said.add(trace(refused) + transactional + transactional.target());
            }
            // Badly quoted, so that Kafka stumbles in the middle of the password.
            Map<String, String> broken = new HashMap<>(login(PASSWORD));
            broken.put(
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required username=app password=\"x\" "
                            + PASSWORD + ";");
            for (Throwable refused :
                    List.of(catchThrowable(() -> publisher(broken)), catchThrowable(() -> transactional(broken)))) {
                assertThat(refused).hasMessageContaining("sasl.jaas.config").hasMessageContaining("quotes");
                said.add(trace(refused));
            }
        } finally {
            kafka.detachAppender(log);
            kafka.setAdditive(true);
            kafka.setLevel(before);
            root.detachAppender(log);
        }
        assertThat(log.list).hasSizeGreaterThan(100);
        log.list.forEach(event -> said.add(event.getFormattedMessage()
                + (event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy()))));
        assertThat(said).anySatisfy(each -> assertThat(each).contains("sasl.jaas.config = [hidden]"));
        assertThat(said).allSatisfy(each -> assertThat(each).doesNotContain(PASSWORD));
    }

    private static String trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}

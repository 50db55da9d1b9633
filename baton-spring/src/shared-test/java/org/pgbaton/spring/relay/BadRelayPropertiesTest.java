package org.pgbaton.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.pgbaton.spring.Applications;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application whose relays make no sense does not start, and Boot's report says why. */
@BatonTest
@ExtendWith(OutputCaptureExtension.class)
class BadRelayPropertiesTest {
    @Test
    void aModuleThatIsMissingIsNamed(TestDatabase database, CapturedOutput output) {
        assertThat(report(database, output, "baton.relays.audit.rabbitmq.uri=amqp://localhost"))
                .contains(
                        "baton.relays.audit.rabbitmq needs baton-rabbitmq, which is not on the class path.",
                        "Add the dependency org.pgbaton:baton-rabbitmq.");
    }

    @Test
    void aMistypedPropertyIsNotIgnored(TestDatabase database, CapturedOutput output) {
        assertThat(report(
                        database,
                        output,
                        "baton.relays.orders.kafka.bootstrap-servers=localhost:9092",
                        "baton.relays.orders.kafka.topik=orders"))
                .contains("baton.relays.orders.kafka.topik");
    }

    @Test
    void aSecretInTheWrongPlaceIsNotShown(TestDatabase database, CapturedOutput output) {
        assertThat(report(
                        database,
                        output,
                        "baton.relays.orders.webhook.url=https://example.com",
                        "baton.relays.orders.webhook.pasword=hush"))
                .contains("There is no such property: baton.relays.orders.webhook.pasword", "Correct the name")
                .doesNotContain("hush");
    }

    @Test
    void aRelayNeedsOneTarget(TestDatabase database, CapturedOutput output) {
        assertThat(report(database, output, "baton.relays.orders.log=outbox"))
                .contains("baton.relays.orders has no target: give properties of exactly one of kafka, rabbitmq, nats and webhook.");
        assertThat(report(
                        database,
                        output,
                        "baton.relays.orders.kafka.bootstrap-servers=localhost:9092",
                        "baton.relays.orders.webhook.url=https://example.com"))
                .contains("baton.relays.orders has more than one target");
    }

    @Test
    void aBrokerMustBeNamed(TestDatabase database, CapturedOutput output) {
        assertThat(report(database, output, "baton.relays.orders.kafka.topic=orders"))
                .contains("baton.relays.orders.kafka: bootstrap-servers is missing")
                .contains("spring.kafka.bootstrap-servers");
    }

    @Test
    void aRefusalOfThePublisherNamesTheProperty(TestDatabase database, CapturedOutput output) {
        assertThat(report(database, output, "baton.relays.orders.webhook.url=http://localhost:1/hook?token=hush"))
                .contains("baton.relays.orders.webhook: ")
                .contains("allow-private=true")
                .doesNotContain("hush");
    }

    @Test
    void badValuesAreRefused(TestDatabase database, CapturedOutput output) {
        String target = "baton.relays.orders.webhook.url=https://example.com";
        assertThat(report(database, output, target, "baton.relays.orders.attempts=0"))
                .contains("baton.relays.orders: ");
        assertThat(report(database, output, target, "baton.relays.orders.from=yesterday"))
                .contains("from cannot be 'yesterday': give origin, now or a position");
        assertThat(report(database, output, target, "baton.relays.orders.order=sideways"))
                .contains("baton.relays.orders.order");
        assertThat(report(database, output, target, "baton.relays.orders.order=total", "baton.relays.orders.workers=4"))
                .contains("baton.relays.orders.workers makes no sense in total order");
        assertThat(report(
                        database,
                        output,
                        target,
                        "baton.relays.others.webhook.url=https://example.com",
                        "baton.relays.others.subscription=orders"))
                .contains("Two relays under baton.relays have the subscription 'orders'.");
    }

    @Test
    void anUnknownLogIsNamed(TestDatabase database, CapturedOutput output) {
        assertThat(report(
                        database,
                        output,
                        "baton.relays.orders.webhook.url=https://example.com",
                        "baton.relays.orders.log=nowhere"))
                .contains("nowhere")
                .contains("baton logs create");
    }

    private static String report(TestDatabase database, CapturedOutput output, String... properties) {
        int before = output.getAll().length();
        Throwable failed = catchThrowable(
                () -> Applications.start(database, List.of(properties)).close());
        assertThat(failed).isNotNull();
        String said = output.getAll().substring(before);
        assertThat(said).contains("APPLICATION FAILED TO START");
        return said;
    }
}

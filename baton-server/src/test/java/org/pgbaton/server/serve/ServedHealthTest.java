package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionState;

/** What {@code /readyz} says of relays, channels and captures. */
class ServedHealthTest {
    private static ServedHealth relay(SubscriptionState state, @Nullable String trouble, List<String> stuck) {
        return new ServedHealth.OfSubscription(
                ServedHealth.Type.RELAY,
                "trades",
                new SubscriptionHealth("mails", "", state, 4, trouble, false, stuck));
    }

    private static ServedHealth capture(boolean reading, @Nullable String problem, @Nullable String warning) {
        return new ServedHealth.OfCapture(new CaptureHealth("alerts", reading, 7, 0, problem, warning));
    }

    private static String json(ServedHealth health) {
        return Output.jsonLine(health.asMap());
    }

    @Test
    void aRelayHasLanes() {
        assertThat(json(relay(SubscriptionState.RUNNING, null, List.of())))
                .isEqualTo("{\"name\":\"trades\",\"state\":\"running\",\"healthy\":true,\"lanes\":4,\"trouble\":null}");
        assertThat(json(relay(SubscriptionState.STOPPED, "answers 410", List.of())))
                .isEqualTo(
                        "{\"name\":\"trades\",\"state\":\"stopped\",\"healthy\":false,\"lanes\":4,\"trouble\":\"answers 410\"}");
    }

    @Test
    void messagesThatAreStuckAreATrouble() {
        ServedHealth health = relay(SubscriptionState.RUNNING, null, List.of("stack", "stack"));
        assertThat(health.trouble()).isEqualTo("2 messages could not be sent within the limit");
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void aCaptureReadsOrStandsBy() {
        assertThat(json(capture(true, null, null)))
                .isEqualTo(
                        "{\"name\":\"alerts\",\"state\":\"running\",\"healthy\":true,\"reading\":true,\"trouble\":null}");
        assertThat(json(capture(false, null, null)))
                .isEqualTo(
                        "{\"name\":\"alerts\",\"state\":\"standby\",\"healthy\":true,\"reading\":false,\"trouble\":null}");
    }

    @Test
    void aCaptureWithAProblemOrAWarningIsNotHealthy() {
        assertThat(json(capture(false, "the slot is lost", "much WAL")))
                .isEqualTo(
                        "{\"name\":\"alerts\",\"state\":\"suspended\",\"healthy\":false,\"reading\":false,\"trouble\":\"the slot is lost\"}");
        assertThat(json(capture(true, null, "much WAL")))
                .isEqualTo(
                        "{\"name\":\"alerts\",\"state\":\"running\",\"healthy\":false,\"reading\":true,\"trouble\":\"much WAL\"}");
        assertThat(capture(true, null, "much WAL").title()).isEqualTo("Capture 'alerts'");
    }
}

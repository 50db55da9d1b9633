package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A start that is refused deletes the subscriptions that it has made; one that fails because the process ends does not. */
@BatonTest
class AStartThatEndsDeletesNothingTest {
    private static BatonYaml yaml(String relays) {
        return BatonYaml.parse("relays:\n" + relays, Path.of("baton.yaml"), Map.of());
    }

    @Test
    void onlyARefusedStartIsForgotten(TestDatabase database) throws Exception {
        try (Baton theirs = database.baton("theirs");
                Baton ours = database.baton("ours");
                Workload running = new Workload()) {
            running.start(yaml("""
                      - {name: taken, target: {webhook: {url: "http://127.0.0.1:1/", allow-private: true}}}
                    """), theirs, DatabaseWait.none());
            BatonYaml refused = yaml("""
                      - {name: made, target: {stdout: }}
                      - {name: taken, target: {stdout: }}
                    """);
            try (Workload workload = new Workload()) {
                assertThatThrownBy(() -> workload.start(refused, ours, DatabaseWait.none()))
                        .isInstanceOf(ConfigurationException.class);
            }
            assertThat(ours.subscriptions().list())
                    .extracting(SubscriptionStatus::name)
                    .containsExactly("taken");

            try (Workload workload = new Workload()) {
                workload.ending();
                assertThatThrownBy(() -> workload.start(refused, ours, DatabaseWait.none()))
                        .isInstanceOf(ConfigurationException.class);
            }
            assertThat(ours.subscriptions().list())
                    .extracting(SubscriptionStatus::name)
                    .containsExactlyInAnyOrder("taken", "made");
        }
    }
}

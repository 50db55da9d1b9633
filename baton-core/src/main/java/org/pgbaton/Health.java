package org.pgbaton;

import java.util.List;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.subscription.SubscriptionHealth;

/**
 * How this process's part is doing, as a plain value. Standing by is healthy: readiness must not depend on leading, or rolling
 * updates never finish.
 *
 * <pre>{@code
 * Health health = baton.health();
 * if (!health.isHealthy()) {
 *     health.leaderships().forEach(each -> System.err.println(each.leadership() + ": " + each.problem()));
 * }
 * }</pre>
 *
 * @param leaderships one for each candidate and each term
 * @param subscriptions one for each subscription
 * @param captures one for each capture
 */
public record Health(
        List<LeadershipHealth> leaderships, List<SubscriptionHealth> subscriptions, List<CaptureHealth> captures) {
    /** Whether everything that runs in this process is healthy. */
    public boolean isHealthy() {
        return leaderships.stream().allMatch(LeadershipHealth::isHealthy)
                && subscriptions.stream().allMatch(SubscriptionHealth::isHealthy)
                && captures.stream().allMatch(CaptureHealth::isHealthy);
    }
}

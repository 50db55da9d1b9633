package org.pgbaton;

import java.util.List;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.subscription.SubscriptionHealth;

/**
 * How this process's part is doing, as a plain value. Standing by is healthy: readiness must not depend on leading, or rolling
 * updates never finish.
 */
public record Health(
        List<LeadershipHealth> leaderships, List<SubscriptionHealth> subscriptions, List<CaptureHealth> captures) {
    public boolean isHealthy() {
        return leaderships.stream().allMatch(LeadershipHealth::isHealthy)
                && subscriptions.stream().allMatch(SubscriptionHealth::isHealthy)
                && captures.stream().allMatch(CaptureHealth::isHealthy);
    }
}

package org.pgbaton.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipNameException;

/** The bids, terms and candidates of one process. Thread-safe. */
final class OngoingCampaigns implements AutoCloseable {
    private final Campaign.Services services;
    private final Set<Campaign> campaigns = ConcurrentHashMap.newKeySet();
    private final Map<String, StandingCandidate> candidates = new ConcurrentHashMap<>();
    private volatile boolean closed;

    OngoingCampaigns(Campaign.Services services) {
        this.services = services;
    }

    /** One that has not begun yet. */
    Campaign campaign(LeadershipOptions options, Patience patience) {
        return new Campaign(this, services, options, patience);
    }

    List<LeadershipHealth> health() {
        List<LeadershipHealth> all = new ArrayList<>();
        candidates.values().forEach(candidate -> all.add(candidate.health()));
        campaigns.stream()
                .filter(campaign -> !candidates.containsKey(campaign.leadership()))
                .forEach(campaign -> all.add(campaign.health()));
        return List.copyOf(all);
    }

    /** The present campaign of a candidate: its bid, or the term that it won. */
    Optional<Campaign> campaignFor(String leadership) {
        return campaigns.stream()
                .filter(campaign -> campaign.leadership().equals(leadership))
                .findFirst();
    }

    void joined(Campaign campaign) {
        campaigns.add(campaign);
        if (closed) {
            campaigns.remove(campaign); // close() may or may not have seen it
        }
        requireOpen();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
    }

    void left(Campaign campaign) {
        campaigns.remove(campaign);
    }

    void joined(StandingCandidate candidate) {
        StandingCandidate other = candidates.putIfAbsent(candidate.leadership(), candidate);
        if (other != null) {
            throw new LeadershipNameException("A candidate for leadership '" + candidate.leadership()
                    + "' runs in this process already, and a second one could only wait for the first; close that one, or use "
                    + "another name.");
        }
        if (closed) {
            candidates.remove(candidate.leadership(), candidate);
        }
        requireOpen();
    }

    void left(StandingCandidate candidate) {
        candidates.remove(candidate.leadership(), candidate);
    }

    /** Ends all of them, and blocks until they are stopped. */
    @Override
    public void close() {
        closed = true;
        candidates.values().forEach(StandingCandidate::close);
        campaigns.forEach(Campaign::close);
    }
}

package org.pgbaton.campaign;

import java.util.List;
import java.util.function.LongSupplier;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipListener;
import org.pgbaton.session.DatabaseAccess;

/** All leaderships of one {@code Baton}. Thread-safe. */
public final class Leaderships implements AutoCloseable {
    private final DatabaseAccess database;
    private final LeadershipNews news = new LeadershipNews();
    private final TrustWatch trust = new TrustWatch();
    private final OngoingCampaigns ongoing;

    /** @param nanos the monotonic clock */
    public Leaderships(DatabaseAccess database, LongSupplier nanos) {
        this.database = database;
        this.ongoing = new OngoingCampaigns(new Campaign.Services(database, nanos, news, trust));
    }

    public Leadership named(String name) {
        return new NamedLeadership(ongoing, LeadershipOptions.of(database.schema(), name));
    }

    public void addListener(LeadershipListener listener) {
        news.add(listener);
    }

    public List<LeadershipHealth> health() {
        return ongoing.health();
    }

    /** Every leadership of the database, as the view {@code leader_status} shows it. */
    public List<LeaderStatus> status() {
        return LeaderStatusSql.read(database);
    }

    /** Ends all candidates, campaigns and terms, and blocks until they are stopped. */
    @Override
    public void close() {
        ongoing.close();
        trust.close();
        news.close();
    }
}

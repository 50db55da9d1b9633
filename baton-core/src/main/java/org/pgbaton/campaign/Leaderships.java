package org.pgbaton.campaign;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Holder;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipHeldException;
import org.pgbaton.leadership.LeadershipListener;
import org.pgbaton.leadership.LeadershipNameException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

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

    /** Forgets a leadership that nobody uses. */
    public void delete(String name, String reason) {
        String outcome = database.call("delete leadership '" + name + "'", connection -> {
            Sql sql = new Sql(database.schema());
            String done = sql.all(connection, LeadershipSql.DELETE, row -> row.getString(1), name)
                    .get(0);
            if (done.equals("deleted")) {
                sql.run(connection, LeadershipSql.RECORD_DELETION, database.who(), name, reason);
            }
            return done;
        });
        switch (outcome) {
            case "deleted" -> {}
            case "none" ->
                throw new LeadershipNameException("There is no leadership '" + name + "' in schema '"
                        + database.schema() + "': 'baton status' shows them all.");
            default -> throw new LeadershipHeldException(name, holder(name));
        }
    }

    /** Null if nobody leads, and somebody stands by. */
    private @Nullable Holder holder(String name) {
        return status().stream()
                .filter(each -> each.name().equals(name))
                .flatMap(each ->
                        Stream.ofNullable(each.holder()).map(holder -> new Holder(holder, each.epoch(), each.since())))
                .findFirst()
                .orElse(null);
    }

    /** Ends all candidates, campaigns and terms, and blocks until they are stopped. */
    @Override
    public void close() {
        ongoing.close();
        trust.close();
        news.close();
    }
}

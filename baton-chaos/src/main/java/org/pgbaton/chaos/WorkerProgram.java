package org.pgbaton.chaos;

import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Order;
import org.pgbaton.subscription.SubscriptionBuilder;

/** A process that does with Baton what the scenario says: {@code URL NAME PARTS ENDPOINT}. It ends with its standard input. */
final class WorkerProgram {
    private static final String INSERT = "INSERT INTO public.handled (subscription, position, key) VALUES (?, ?, ?)";
    /** What the guard says to a term that is over. */
    private static final String REFUSED = "YB001";

    private static final String FAILS = "SELECT FROM public.failing WHERE key = ?";

    private final String url;
    private final String name;
    private final String endpoint;
    private final Baton baton;

    private WorkerProgram(String url, String name, String endpoint, Baton baton) {
        this.url = url;
        this.name = name;
        this.endpoint = endpoint;
        this.baton = baton;
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(World.LEASE)
                .migrate(false)
                .open()) {
            WorkerProgram program = new WorkerProgram(arguments[0], arguments[1], arguments[3], baton);
            for (String part : arguments[2].split(",")) {
                program.start(Part.valueOf(part));
            }
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void start(Part part) {
        switch (part) {
            case LEADERSHIP -> baton.leadership(Part.JOB).lease(World.LEASE).campaign(this::lead);
            case PROJECTION ->
                subscription(part)
                        .project((message, connection) -> project(part, List.of(message), connection))
                        .start();
            case TOTAL ->
                subscription(part)
                        .order(Order.TOTAL)
                        .projectBatches((messages, connection) -> project(part, messages, connection))
                        .start();
            case WEBHOOK ->
                subscription(part)
                        .workers(2)
                        .batch(50)
                        .publish(WebhookPublisher.to(URI.create(endpoint))
                                .allowPrivate(true)
                                .timeout(Duration.ofSeconds(4))
                                .build())
                        .start();
        }
    }

    private SubscriptionBuilder subscription(Part part) {
        return baton.subscription(part.subscription())
                .on("events")
                .attempts(1_000) // nobody is there to say 'retry'
                .backoff(Duration.ofMillis(20), Duration.ofMillis(500));
    }

    private static void project(Part part, List<Message> messages, Connection connection) throws SQLException {
        try (PreparedStatement fails = connection.prepareStatement(FAILS);
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Message message : messages) {
                fails.setString(1, message.key());
                try (ResultSet row = fails.executeQuery()) {
                    if (row.next()) {
                        throw new IllegalStateException("key " + message.key() + " fails for now");
                    }
                }
                insert.setString(1, part.subscription());
                insert.setLong(2, message.position());
                insert.setString(3, message.key());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** A duty as bad as can be: what it began goes on when the term is lost, and stops only when the guard refuses. */
    private void lead(Term term) throws InterruptedException {
        Thread writer = new Thread(() -> write(term.epoch()), "writer-" + term.epoch());
        writer.setDaemon(true);
        writer.start();
        while (term.isLeading()) {
            Thread.sleep(5);
        }
    }

    private void write(long epoch) {
        while (true) {
            try (Connection connection = DatabaseUrl.parse(url).connector().connect()) {
                connection.setAutoCommit(false);
                while (true) {
                    write(connection, epoch);
                    connection.commit();
                    LockSupport.parkNanos(5_000_000);
                }
            } catch (SQLException failed) {
                if (REFUSED.equals(failed.getSQLState())) {
                    return;
                }
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private void write(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement guard = connection.prepareStatement("SELECT baton.guard(?, ?)");
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO public.guarded (epoch, who) VALUES (?, ?)")) {
            guard.setString(1, Part.JOB);
            guard.setLong(2, epoch);
            guard.execute();
            insert.setLong(1, epoch);
            insert.setString(2, name);
            insert.executeUpdate();
        }
    }
}

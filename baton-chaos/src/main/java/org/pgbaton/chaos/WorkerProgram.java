package org.pgbaton.chaos;

import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Order;
import org.pgbaton.subscription.SubscriptionBuilder;

/** A process that does with Baton what the scenario says: {@code URL NAME PARTS ENDPOINT}. It ends with its standard input. */
final class WorkerProgram {
    private static final String INSERT = "INSERT INTO public.handled (subscription, position, key) VALUES (?, ?, ?)";
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

    /** Writes for as long as it leads, and stops only when its guard refuses. */
    private void lead(Term term) throws InterruptedException {
        while (term.isLeading()) {
            try (Connection connection = DatabaseUrl.parse(url).connector().connect()) {
                connection.setAutoCommit(false);
                while (term.isLeading()) {
                    term.guard(connection);
                    try (PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO public.guarded (epoch, who) VALUES (?, ?)")) {
                        insert.setLong(1, term.epoch());
                        insert.setString(2, name);
                        insert.executeUpdate();
                    }
                    connection.commit();
                    Thread.sleep(5);
                }
            } catch (SQLException | BatonException refused) {
                Thread.sleep(20);
            }
        }
    }
}

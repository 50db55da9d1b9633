package org.pgbaton.proofs.leadership;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A candidate in a process of its own, controlled by lines on standard input. It prints each change of state with its
 * epoch ({@code LEADING 3}) and one line for each order.
 */
final class LeaderProgram {
    static final String NAME = "job";
    static final Duration LEASE = Duration.ofSeconds(2);

    private final String url;
    private final Candidate candidate;
    private volatile Term term;
    private Connection open;

    private LeaderProgram(String url, Baton baton, Duration lease) {
        this.url = url;
        this.candidate = baton.leadership(NAME).lease(lease).campaign(won -> term = won);
    }

    /** A process whose candidate others see as {@code who}. */
    static JavaProcess start(TestDatabase database, String who) {
        return start(database, who, LEASE);
    }

    static JavaProcess start(TestDatabase database, String who, Duration lease) {
        return start(List.of(), database.url(), who, lease);
    }

    static JavaProcess start(List<String> prefix, String url, String who, Duration lease) {
        return JavaProcess.start(prefix, LeaderProgram.class, url, who, lease.toString());
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton =
                Baton.builder(arguments[0]).who(arguments[1]).migrate(false).open()) {
            baton.addLeadershipListener(LeaderProgram::print);
            LeaderProgram program = new LeaderProgram(arguments[0], baton, Duration.parse(arguments[2]));
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                program.obey(order);
            }
        }
    }

    private static void print(LeadershipChange change) {
        System.out.println(change.to() + " " + change.epoch());
    }

    private void obey(String order) throws SQLException {
        String[] words = order.split(" ", 2);
        try {
            switch (words[0]) {
                case "open" -> open(words[1]);
                case "commit" -> {
                    open.commit();
                    System.out.println("COMMITTED");
                }
                case "write-guarded" -> {
                    open(words[1]);
                    open.commit();
                    System.out.println("COMMITTED");
                }
                case "write-with-old-token" -> writeWithOldToken(words[1], true);
                case "write-unguarded" -> writeWithOldToken(words[1], false);
                case "step-down" -> {
                    candidate.stepDown();
                    System.out.println("STEPPED-DOWN");
                }
                case "state" -> System.out.println("STATE " + candidate.state());
                default -> throw new IllegalArgumentException(order);
            }
        } catch (LeadershipLostException refused) {
            System.out.println("REFUSED " + refused.getMessage());
        } catch (SQLException failed) {
            System.out.println(
                    "FAILED " + failed.getSQLState() + " " + failed.getMessage().replace('\n', ' '));
        }
    }

    /** Leaves a guarded transaction open. */
    private void open(String value) throws SQLException {
        open = DriverManager.getConnection(url);
        open.setAutoCommit(false);
        term.guard(open);
        insert(open, value, term.epoch());
        System.out.println("OPEN");
    }

    /**
     * Acts like a process that does not look at its clock: goes straight to the database with the epoch that it
     * remembers.
     */
    private void writeWithOldToken(String value, boolean guarded) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            if (guarded) {
                try (PreparedStatement guard = connection.prepareStatement("SELECT baton.guard(?, ?)")) {
                    guard.setString(1, NAME);
                    guard.setLong(2, term.epoch());
                    guard.execute();
                }
            }
            insert(connection, value, term.epoch());
            connection.commit();
            System.out.println("COMMITTED");
        }
    }

    private static void insert(Connection connection, String value, long epoch) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO public.effect (value, epoch) VALUES (?, ?)")) {
            insert.setString(1, value);
            insert.setLong(2, epoch);
            insert.execute();
        }
    }

    /** The table that the orders write to. */
    static void createEffects(TestDatabase database) throws SQLException {
        database.execute("CREATE TABLE public.effect (id serial PRIMARY KEY, value text, epoch bigint)");
    }
}

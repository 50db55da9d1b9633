package org.pgbaton.proofs.subscription;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Transactions;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A projection in a process of its own, with a handler that may take minutes. It stops at a chosen moment: it prints
 * {@code HOLDING} and waits for the line {@code go}. It also prints how each transaction ended in which it handled
 * something.
 */
final class HoldingProgram {
    enum Place {
        NOWHERE,
        /** Before the closing UPDATE. */
        IN_THE_HANDLER,
        /** The same, while the server runs a statement of the handler. */
        IN_A_STATEMENT,
        /** After the closing UPDATE. */
        BEFORE_COMMIT
    }

    static final String NAME = "projection";
    static final String KEY = "hold";

    private final String url;
    private final Place place;
    private final CountDownLatch go = new CountDownLatch(1);
    private final ThreadLocal<Boolean> handledTheKey = ThreadLocal.withInitial(() -> false);

    private HoldingProgram(String url, Place place) {
        this.url = url;
        this.place = place;
    }

    static JavaProcess start(TestDatabase database, String who, Place place) {
        return JavaProcess.start(HoldingProgram.class, database.url(), who, place.name());
    }

    public static void main(String[] arguments) throws Exception {
        HoldingProgram program = new HoldingProgram(arguments[0], Place.valueOf(arguments[2]));
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(Duration.ofSeconds(2))
                .migrate(false)
                .open()) {
            Transactions own = program::inTransaction;
            baton.subscription(NAME)
                    .on("events")
                    .handlerLimit(Duration.ofMinutes(5))
                    .transactions(own)
                    .project(program::handle)
                    .start();
            System.out.println("RUNNING");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                program.go.countDown();
            }
        }
    }

    private void handle(Message message, Connection connection) throws SQLException, InterruptedException {
        Handled.add(connection, NAME, List.of(message));
        if (message.key().equals(KEY)) {
            handledTheKey.set(true);
            // The next owner has to write the same row.
            execute(connection, "UPDATE public.held SET times = times + 1");
            holdAt(Place.IN_THE_HANDLER);
            if (place == Place.IN_A_STATEMENT && go.getCount() > 0) {
                System.out.println("HOLDING");
                execute(connection, "SELECT pg_sleep(280)");
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void holdAt(Place here) throws InterruptedException {
        if (place == here) {
            System.out.println("HOLDING");
            go.await();
        }
    }

    private void inTransaction(Transactions.Work work) throws Exception {
        handledTheKey.set(false);
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            work.on(connection);
            if (handledTheKey.get()) {
                holdAt(Place.BEFORE_COMMIT);
            }
            connection.commit();
            print("COMMITTED");
        } catch (Exception failed) {
            print("FAILED " + failed.toString().replace('\n', ' '));
            throw failed;
        }
    }

    private void print(String line) {
        if (handledTheKey.get()) {
            System.out.println(line);
        }
    }
}

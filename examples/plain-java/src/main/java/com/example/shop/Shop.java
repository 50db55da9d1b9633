package com.example.shop;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgbaton.Baton;
import org.pgbaton.embedded.SharedPostgres;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.leadership.Contention;
import org.pgbaton.log.Message;

/**
 * A shop on plain PostgreSQL. An order and its message are one transaction; a relay sends the messages to a webhook; a
 * projection keeps each customer's total; a report is written by one process of many. At the end it checks all of it against
 * the orders: exit code 0 if they agree, 1 if not.
 *
 * <p>It starts a PostgreSQL of its own, in a new folder. In your application, give {@code Baton.open} the address of yours.
 */
public final class Shop {
    private static final int ORDERS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Shop() {}

    public static void main(String... arguments) throws Exception {
        List<String> problems;
        try (var postgres = SharedPostgres.openUntilClosed(Files.createTempDirectory("shop"))) {
            problems = run(postgres.jdbcUrl());
        }
        problems.forEach(problem -> System.err.println("WRONG: " + problem));
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    private static List<String> run(String url) throws Exception {
        execute(url, "CREATE TABLE customer_order (number int PRIMARY KEY, customer text, amount int CHECK (amount > 0))");
        execute(url, "CREATE TABLE customer_total (customer text PRIMARY KEY, orders int, total bigint)");

        // In reality these are two processes; the second one here only stands by.
        try (Receiver receiver = new Receiver();
                WebhookPublisher webhook = WebhookPublisher.to(receiver.address())
                        .secret("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")
                        .allowPrivate(true)
                        .build();
                Baton baton = Baton.builder(url).who("shop-1").open();
                Baton other = Baton.builder(url).who("shop-2").open();
                var relay = baton.subscription("orders-webhook")
                        .on("outbox")
                        .publish(webhook)
                        .start();
                var projection = baton.subscription("customer-totals")
                        .on("outbox")
                        .types("OrderPlaced")
                        .project(Shop::addToTotal)
                        .start()) {

            long last = placeOrders(new Orders(url, baton.outbox()));
            boolean sent = baton.subscriptions().awaitProcessed(relay.name(), last, PATIENCE);
            boolean projected = baton.subscriptions().awaitProcessed(projection.name(), last, PATIENCE);
            AtomicInteger reports = new AtomicInteger();
            for (Baton each : List.of(baton, other, baton)) {
                each.leadership("daily-report")
                        .atMostEvery(Duration.ofHours(12))
                        .run(Contention.SKIP, term -> reports.incrementAndGet());
            }

            List<String> problems = new ArrayList<>();
            expect(true, sent, "the relay has sent everything", problems);
            expect(true, projected, "the projection has seen everything", problems);
            expect(orders(url), receiver.ordersOfCustomers(), "what the webhook received, by customer, in order", problems);
            expect(
                    query(url, "SELECT customer, count(*) || ' orders, ' || sum(amount) FROM customer_order GROUP BY 1"),
                    query(url, "SELECT customer, orders || ' orders, ' || total FROM customer_total"),
                    "the totals of customers",
                    problems);
            expect(1, reports.get(), "the number of reports", problems);
            return problems;
        }
    }

    /** Every tenth order is refused by the table, after its message was written; then there is no message either. */
    private static long placeOrders(Orders orders) throws SQLException {
        long last = 0;
        int refused = 0;
        for (int number = 1; number <= ORDERS; number++) {
            try {
                last = orders.place(number, "customer-" + number % 7, number % 10 == 0 ? -1 : number);
            } catch (SQLException e) {
                refused++;
            }
        }
        System.out.println((ORDERS - refused) + " orders placed, " + refused + " refused");
        return last;
    }

    /** Runs in the transaction of the checkpoint, so that each order is added exactly once. */
    private static void addToTotal(Message message, Connection connection) throws SQLException {
        try (var update = connection.prepareStatement(
                """
                INSERT INTO customer_total AS t VALUES (?, 1, (?::json ->> 'amount')::int)
                ON CONFLICT (customer) DO UPDATE SET orders = t.orders + 1, total = t.total + EXCLUDED.total""")) {
            update.setString(1, message.key());
            update.setString(2, message.text());
            update.executeUpdate();
        }
    }

    private static Map<String, List<String>> orders(String url) throws SQLException {
        Map<String, List<String>> orders = new TreeMap<>();
        for (var order : query(
                        url,
                        """
                        SELECT to_char(number, '00000'), customer || ' ' || '{"order": ' || number || ', "amount": ' || amount || '}'
                        FROM customer_order""")
                .values()) {
            String[] parts = order.split(" ", 2);
            orders.computeIfAbsent(parts[0], customer -> new ArrayList<>()).add(parts[1]);
        }
        return orders;
    }

    private static Map<String, String> query(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                var rows = connection.createStatement().executeQuery(sql)) {
            Map<String, String> result = new TreeMap<>();
            while (rows.next()) {
                result.put(rows.getString(1), rows.getString(2));
            }
            return result;
        }
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.createStatement().execute(sql);
        }
    }

    private static void expect(Object expected, Object actual, String what, List<String> problems) {
        System.out.println((expected.equals(actual) ? "ok: " : "not so: ") + what);
        if (!expected.equals(actual)) {
            problems.add(what + ": expected " + expected + ", but it is " + actual);
        }
    }
}

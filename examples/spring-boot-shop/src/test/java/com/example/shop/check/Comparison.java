package com.example.shop.check;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;

/** Compares everything with the orders that customers were told were placed. */
final class Comparison {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String url;
    private final Map<String, List<String>> placed;
    private final Receiver receiver;
    private final Broker broker;
    private final List<String> problems = new ArrayList<>();

    Comparison(String url, Map<String, List<String>> placed, Receiver receiver, Broker broker) {
        this.url = url;
        this.placed = placed;
        this.receiver = receiver;
        this.broker = broker;
    }

    /** Waits until instances that are left have done everything, and compares then. */
    List<String> problems() throws Exception {
        try (Baton baton = Baton.open(url)) {
            List<Message> messages = baton.outbox().log().read().list();
            long last = messages.isEmpty() ? 0 : messages.get(messages.size() - 1).position();
            for (String each : List.of("orders-webhook", "orders-kafka", "customer-totals")) {
                expect(true, baton.subscriptions().awaitProcessed(each, last, PATIENCE), each + " has seen everything");
            }
            Map<String, List<String>> sent = new TreeMap<>();
            messages.forEach(message -> sent.computeIfAbsent(message.key(), customer -> new ArrayList<>())
                    .add(message.text()));
            expect(placed, lists("""
                    SELECT customer, format('{"number":%s,"amount":%s}', number, amount) FROM customer_order
                    ORDER BY number"""), "the orders in the table");
            expect(placed, sent, "the messages in the outbox, in order per customer");
            expect(placed, receiver.messages(), "what the webhook got, in order per customer");
            expect(placed, broker.messages(), "what is in Kafka's topic: once, in order per customer");
            expect(
                    lists("SELECT customer, count(*) || ' orders, ' || sum(amount) FROM customer_order GROUP BY 1"),
                    lists("SELECT customer, orders || ' orders, ' || total FROM customer_total"),
                    "the totals of customers");
            expect(Map.of("reports", List.of("1")), lists("SELECT 'reports', count(*) FROM report"), "one report");
            System.out.println("The webhook got " + receiver.duplicates() + " messages more than once.");
        }
        return problems;
    }

    private Map<String, List<String>> lists(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            Map<String, List<String>> result = new TreeMap<>();
            while (rows.next()) {
                result.computeIfAbsent(rows.getString(1), key -> new ArrayList<>()).add(rows.getString(2));
            }
            return result;
        }
    }

    private void expect(Object expected, Object actual, String what) {
        System.out.println((expected.equals(actual) ? "ok: " : "not so: ") + what);
        if (!expected.equals(actual)) {
            problems.add(what + ": expected " + expected + ", but it is " + actual);
        }
    }
}

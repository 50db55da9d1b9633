package com.example.shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.pgbaton.log.Draft;
import org.pgbaton.outbox.Outbox;

/** The application's own table, and a message for each order in the same transaction. */
final class Orders {
    private final String url;
    private final Outbox outbox;

    Orders(String url, Outbox outbox) {
        this.url = url;
        this.outbox = outbox;
    }

    /**
     * Places an order and tells others of it: both or neither.
     *
     * @return the message's position in the outbox
     * @throws SQLException if the order was refused; then there is no message
     */
    long place(int number, String customer, int amount) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            Draft message = Draft.json("{\"order\": " + number + ", \"amount\": " + amount + "}")
                    .topic("orders")
                    .key(customer)
                    .type("OrderPlaced");
            long position = outbox.send(connection, message).position();
            try (var insert = connection.prepareStatement(
                    "INSERT INTO customer_order (number, customer, amount) VALUES (?, ?, ?)")) {
                insert.setInt(1, number);
                insert.setString(2, customer);
                insert.setInt(3, amount);
                insert.executeUpdate();
            }
            connection.commit();
            return position;
        }
    }
}

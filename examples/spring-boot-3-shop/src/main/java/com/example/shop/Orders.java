package com.example.shop;

import org.pgbaton.log.Message;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.Outbox;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Saves orders and tells others of them, both or neither; keeps each customer's total. */
@Service
class Orders {
    private final JdbcClient jdbc;
    private final Outbox outbox;

    Orders(JdbcClient jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** Places an order; one above 1000 is refused, after its message was written, which is undone with the order. */
    @Transactional
    public void place(int number, String customer, int amount) {
        jdbc.sql("INSERT INTO customer_order (number, customer, amount) VALUES (?, ?, ?)")
                .params(number, customer, amount)
                .update();
        outbox.send("orders", customer, new OrderPlaced(number, amount));
        if (amount > 1000) {
            throw new IllegalArgumentException("Order " + number + " is above the limit: " + amount);
        }
    }

    @BatonListener(log = "outbox", subscription = "customer-totals")
    void add(OrderPlaced order, Message message) {
        jdbc.sql("""
                INSERT INTO customer_total AS t (customer, total) VALUES (?, ?)
                ON CONFLICT (customer) DO UPDATE SET total = t.total + EXCLUDED.total""")
                .params(message.key(), order.amount())
                .update();
    }
}

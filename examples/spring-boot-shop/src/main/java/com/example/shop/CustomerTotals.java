package com.example.shop;

import org.pgbaton.log.Message;
import org.pgbaton.spring.BatonListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Keeps each customer's total. The row and the progress of the listener commit together, so each order is added exactly once. */
@Component
class CustomerTotals {
    private final JdbcClient jdbc;

    CustomerTotals(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @BatonListener(log = "outbox", subscription = "customer-totals")
    void add(OrderPlaced order, Message message) {
        jdbc.sql("""
                INSERT INTO customer_total AS t (customer, orders, total) VALUES (?, 1, ?)
                ON CONFLICT (customer) DO UPDATE SET orders = t.orders + 1, total = t.total + EXCLUDED.total""")
                .params(message.key(), order.amount())
                .update();
    }
}

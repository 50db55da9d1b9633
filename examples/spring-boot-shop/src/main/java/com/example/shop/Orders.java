package com.example.shop;

import org.pgbaton.spring.Outbox;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Saves an order and tells others of it: both or neither. */
@Service
class Orders {
    private static final int LIMIT = 1_000_000;

    private final JdbcClient jdbc;
    private final Outbox outbox;

    Orders(JdbcClient jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /**
     * Places an order.
     *
     * @throws OrderRefusedException if it is above the limit. This is found last on purpose: the message was written then, and is undone
     *     with the order
     */
    @Transactional
    public void place(Order order) {
        jdbc.sql("INSERT INTO customer_order (number, customer, amount) VALUES (?, ?, ?)")
                .params(order.number(), order.customer(), order.amount())
                .update();
        outbox.send("orders", order.customer(), new OrderPlaced(order.number(), order.amount()));
        if (order.amount() > LIMIT) {
            throw new OrderRefusedException(order);
        }
    }
}

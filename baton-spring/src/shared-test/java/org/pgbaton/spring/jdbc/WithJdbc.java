package org.pgbaton.spring.jdbc;

import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.OrderService;
import org.pgbaton.spring.OrderStore;
import org.pgbaton.spring.Outbox;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Orders by Spring's JdbcClient. */
@Configuration
public class WithJdbc {
    @Bean
    OrderStore store(JdbcClient jdbc) {
        return id -> jdbc.sql("INSERT INTO orders VALUES (?)").param(id).update();
    }

    @Bean
    OrderService orders(OrderStore store, Outbox outbox, EventLog events) {
        return new OrderService(store, outbox, events);
    }
}

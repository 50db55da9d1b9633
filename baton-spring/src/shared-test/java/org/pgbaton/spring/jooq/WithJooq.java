package org.pgbaton.spring.jooq;

import org.jooq.DSLContext;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.OrderService;
import org.pgbaton.spring.OrderStore;
import org.pgbaton.spring.Outbox;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Orders by jOOQ. */
@Configuration
public class WithJooq {
    @Bean
    OrderStore store(DSLContext jooq) {
        return id -> jooq.execute("INSERT INTO orders VALUES (?)", id);
    }

    @Bean
    OrderService orders(OrderStore store, Outbox outbox, EventLog events) {
        return new OrderService(store, outbox, events);
    }
}

package org.pgbaton.spring.datajdbc;

import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.OrderService;
import org.pgbaton.spring.OrderStore;
import org.pgbaton.spring.Outbox;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Orders by Spring Data JDBC. */
@Configuration
public class WithDataJdbc {
    @Bean
    OrderStore store(DataOrders orders) {
        return id -> orders.save(new DataOrder(id));
    }

    @Bean
    OrderService orders(OrderStore store, Outbox outbox, EventLog events) {
        return new OrderService(store, outbox, events);
    }
}

package org.pgbaton.spring.jpa;

import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.OrderService;
import org.pgbaton.spring.OrderStore;
import org.pgbaton.spring.Outbox;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Orders by JPA: Hibernate, a repository, JpaTransactionManager. */
@Configuration
public class WithJpa {
    @Bean
    OrderStore store(JpaOrders orders) {
        return id -> orders.save(new JpaOrder(id));
    }

    @Bean
    OrderService orders(OrderStore store, Outbox outbox, EventLog events) {
        return new OrderService(store, outbox, events);
    }
}

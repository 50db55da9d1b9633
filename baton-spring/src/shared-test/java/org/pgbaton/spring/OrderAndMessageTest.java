package org.pgbaton.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.spring.datajdbc.WithDataJdbc;
import org.pgbaton.spring.jdbc.WithJdbc;
import org.pgbaton.spring.jooq.WithJooq;
import org.pgbaton.spring.jpa.WithJpa;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.IllegalTransactionStateException;

/** A committed order has exactly one message, a rolled-back one has none, whatever wrote the order. */
@BatonTest
class OrderAndMessageTest {
    /** What applications write their own tables with. */
    enum Technology {
        JDBC("none", WithJdbc.class),
        JPA("jpa", WithJpa.class),
        JOOQ("jooq", WithJooq.class),
        SPRING_DATA_JDBC("jdbc.", WithDataJdbc.class);

        private final String autoConfiguration;
        private final Class<?> application;

        Technology(String autoConfiguration, Class<?> application) {
            this.autoConfiguration = autoConfiguration;
            this.application = application;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theMessageSharesTheOrdersFate(Technology technology, TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id text PRIMARY KEY)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, technology.autoConfiguration, List.of(), technology.application)) {
            OrderService orders = context.getBean(OrderService.class);

            orders.place("committed");
            assertThatThrownBy(() -> orders.placeAndFail("rolled-back")).hasMessageContaining("is refused");
            assertThatThrownBy(() -> orders.place("committed")).isNotNull(); // there already

            assertThat(database.one("SELECT string_agg(id, ' ') FROM orders")).isEqualTo("committed");
            assertThat(database.one("SELECT string_agg(concat_ws(' ', topic, key, type, payload), ';') FROM baton.outbox"))
                    .isEqualTo("orders committed OrderPlaced {\"id\":\"committed\",\"total\":7}");
            assertThat(database.one("SELECT string_agg(concat_ws(' ', key, type), ';') FROM baton.events"))
                    .isEqualTo("committed OrderPlaced");
            whatIsRefused(orders, database);
        }
    }

    private static void whatIsRefused(OrderService orders, TestDatabase database) throws Exception {
        assertThatThrownBy(() -> orders.sendWithoutTransaction("x"))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("Cannot send to the outbox 'outbox'")
                .hasMessageContaining("no transaction is open")
                .hasMessageContaining("sendNow");
        assertThatThrownBy(() -> orders.appendWithoutTransaction("x"))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("Cannot append to the log 'events'")
                .hasMessageContaining("appendNow");
        assertThatThrownBy(() -> orders.sendWhileReading("x"))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("read-only");
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");

        assertThatThrownBy(() -> orders.failAfterSendingNow("asked-for")).hasMessageContaining("is refused");
        assertThat(database.one("SELECT count(*) FROM baton.outbox WHERE key = 'asked-for'"))
                .isEqualTo("1");
        assertThat(database.one("SELECT count(*) FROM orders")).isEqualTo("1");
    }
}

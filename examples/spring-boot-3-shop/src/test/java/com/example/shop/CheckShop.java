package com.example.shop;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.embedded.SharedPostgres;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Outbox;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Places orders, every tenth of which is refused, and compares: exit code 0 if orders, messages and totals agree, 1 if not. */
public final class CheckShop {
    private static final int ORDERS = 200;

    private CheckShop() {}

    public static void main(String... arguments) throws Exception {
        boolean good;
        try (var postgres = SharedPostgres.openUntilClosed(Files.createTempDirectory("shop"));
                ConfigurableApplicationContext shop = new SpringApplicationBuilder(ShopApplication.class)
                        .web(WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off", "logging.level.root=warn")
                        .run("--spring.datasource.url=" + postgres.jdbcUrl())) {
            int refused = placeOrders(shop.getBean(Orders.class));
            System.out.println((ORDERS - refused) + " orders placed, " + refused + " refused");
            good = agree(shop);
        }
        System.exit(good ? 0 : 1);
    }

    private static int placeOrders(Orders orders) {
        int refused = 0;
        for (int number = 1; number <= ORDERS; number++) {
            try {
                orders.place(number, "customer-" + number % 7, number % 10 == 0 ? 2000 : number);
            } catch (IllegalArgumentException tooMuch) {
                refused++;
            }
        }
        return refused;
    }

    private static boolean agree(ConfigurableApplicationContext shop) throws InterruptedException {
        List<Message> messages = shop.getBean(Outbox.class).log().read().list();
        boolean handled = shop.getBean(Baton.class)
                .subscriptions()
                .awaitProcessed("customer-totals", messages.get(messages.size() - 1).position(), Duration.ofMinutes(2));
        JdbcClient jdbc = shop.getBean(JdbcClient.class);
        return expect(true, handled, "the listener has seen everything")
                & expect(
                        list(jdbc, "SELECT customer || format(' {\"number\":%s,\"amount\":%s}', number, amount)"
                                + " FROM customer_order ORDER BY number"),
                        messages.stream().map(each -> each.key() + " " + each.text()).toList(),
                        "orders and messages")
                & expect(
                        list(jdbc, "SELECT customer || ' ' || sum(amount) FROM customer_order GROUP BY customer ORDER BY 1"),
                        list(jdbc, "SELECT customer || ' ' || total FROM customer_total ORDER BY 1"),
                        "the totals of customers");
    }

    private static List<String> list(JdbcClient jdbc, String sql) {
        return jdbc.sql(sql).query(String.class).list();
    }

    private static boolean expect(Object expected, Object actual, String what) {
        boolean same = expected.equals(actual);
        System.out.println(same ? "ok: " + what : "WRONG: " + what + ": expected " + expected + ", but it is " + actual);
        return same;
    }
}

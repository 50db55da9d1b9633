package com.example.shop.check;

import java.nio.file.Files;
import java.util.List;
import org.pgbaton.embedded.SharedPostgres;

/**
 * Starts three instances of the shop as processes, places orders at all of them, has every tenth refused, kills instances with
 * {@code kill -9}, and compares: the orders, the messages in the outbox, what the webhook got, what is in Kafka's topic, the totals, the report. Exit code 0 if
 * they agree, 1 if not.
 *
 * <p>Arguments: how many orders, how many crashes.
 */
public final class CheckShop {
    private static final int INSTANCES = 3;
    private static final int CUSTOMERS = 7;

    private CheckShop() {}

    public static void main(String... arguments) throws Exception {
        int orders = Integer.parseInt(arguments[0]);
        int crashes = Integer.parseInt(arguments[1]);
        List<String> problems;
        try (var postgres = SharedPostgres.openUntilClosed(Files.createTempDirectory("shop"));
                Broker broker = new Broker(Files.createTempDirectory("shop-kafka"), "orders");
                Receiver receiver = new Receiver();
                Instances instances =
                        Instances.start(INSTANCES, postgres.jdbcUrl(), receiver.address(), broker.address())) {
            Customers customers = new Customers(CUSTOMERS, orders, instances);
            customers.begin();
            for (int crash = 1; crash <= crashes; crash++) {
                // Killed amid its part of the orders; the next part begins when it is back.
                customers.allow((long) orders * crash / crashes);
                customers.awaitAnswers((long) orders * (2 * crash - 1) / (2 * crashes));
                instances.kill((crash - 1) % INSTANCES);
                if (crash < crashes) {
                    instances.restart((crash - 1) % INSTANCES);
                }
            }
            customers.allow(orders);
            customers.end();
            System.out.println(customers.summary() + "; instances killed: " + crashes);
            problems = new Comparison(postgres.jdbcUrl(), customers.placed(), receiver, broker).problems();
        }
        problems.forEach(problem -> System.err.println("WRONG: " + problem));
        System.exit(problems.isEmpty() ? 0 : 1);
    }
}

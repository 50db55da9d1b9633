package com.example.shop.check;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Place orders at all instances, each customer one after the other. An order without an answer is sent again under its number to the
 * next instance; if it is there already, the one without an answer was placed. Every tenth order is refused.
 */
final class Customers {
    private static final int TOO_MUCH = 2_000_000;
    private static final int MOST_ATTEMPTS = 100;

    private final int count;
    private final int orders;
    private final Instances instances;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final Map<String, List<String>> placed = new TreeMap<>();
    private final List<Future<?>> running = new ArrayList<>();
    private long allowed;
    private long begun;
    private int answers;
    private int refused;
    private int repeated;
    private int placedWithoutAnswer;
    private boolean failed;

    Customers(int count, int orders, Instances instances) {
        this.count = count;
        this.orders = orders;
        this.instances = instances;
    }

    void begin() {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        for (int i = 0; i < count; i++) {
            int customer = i;
            running.add(threads.submit(() -> placeAll(customer)));
        }
        threads.shutdown();
    }

    /** Lets them place so many orders in all. */
    synchronized void allow(long number) {
        allowed = number;
        notifyAll();
    }

    /** Waits until so many orders were answered. */
    synchronized void awaitAnswers(long number) throws InterruptedException {
        while (answers < number && !failed) {
            wait();
        }
    }

    /** Waits for all orders; throws what went wrong. */
    void end() throws Exception {
        for (Future<?> each : running) {
            each.get();
        }
    }

    /** By customer, in order, as the message should be. */
    synchronized Map<String, List<String>> placed() {
        return placed;
    }

    synchronized String summary() {
        return (answers - refused) + " orders placed, " + refused + " refused and rolled back, " + repeated
                + " sent again, of which " + placedWithoutAnswer + " had been placed without an answer";
    }

    private Void placeAll(int customer) throws Exception {
        try {
            for (int number = customer + 1; number <= orders; number += count) {
                awaitTurn();
                place(number, "customer-" + customer, number % 10 == 0 ? TOO_MUCH : number);
            }
            return null;
        } catch (Exception gaveUp) {
            synchronized (this) {
                failed = true;
                notifyAll();
            }
            throw gaveUp;
        }
    }

    private synchronized void awaitTurn() throws InterruptedException {
        while (begun >= allowed && !failed) {
            wait();
        }
        begun++;
    }

    private void place(int number, String customer, int amount) throws Exception {
        String order = "{\"number\":%d,\"customer\":\"%s\",\"amount\":%d}".formatted(number, customer, amount);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            int status = send(order, number + attempt);
            boolean tooMuch = amount == TOO_MUCH;
            // There already: only if an attempt before was not answered.
            if (!tooMuch && (status == 201 || (status == 409 && attempt > 0))) {
                answered(customer, "{\"number\":%d,\"amount\":%d}".formatted(number, amount), attempt, status == 409);
                return;
            }
            if (tooMuch && status == 422) {
                answered(customer, null, attempt, false);
                return;
            }
            if (status > 0 && status < 500) {
                throw new IllegalStateException("The order " + order + " was answered with " + status);
            }
        }
        throw new IllegalStateException("The order " + order + " was not answered at " + MOST_ATTEMPTS + " attempts");
    }

    /** The status; 0 if there was no answer. */
    private int send(String order, int turn) throws InterruptedException {
        try {
            return client.send(
                            HttpRequest.newBuilder(instances.address(turn))
                                    .header("Content-Type", "application/json")
                                    .timeout(Duration.ofSeconds(60))
                                    .POST(HttpRequest.BodyPublishers.ofString(order))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException nobody) {
            return 0;
        }
    }

    private synchronized void answered(String customer, String message, int attempt, boolean wasThere) {
        answers++;
        placedWithoutAnswer += wasThere ? 1 : 0;
        repeated += attempt > 0 ? 1 : 0;
        if (message == null) {
            refused++;
        } else {
            placed.computeIfAbsent(customer, c -> new ArrayList<>()).add(message);
        }
        notifyAll();
    }
}

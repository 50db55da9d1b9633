package org.pgbaton.server.command;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;

/**
 * What one of several databases answers, or why it does not. All are asked at the same time, so that one that is away delays no other, and the whole
 * for a limited time only.
 *
 * @param answer null if there is none
 * @param failure null if there is an answer
 */
public record DatabaseAnswer<T>(
        String name, @Nullable T answer, @Nullable RuntimeException failure) {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    /** Asks all of them, each on a thread of its own. The answers are in the order of the databases. */
    public static <T> List<DatabaseAnswer<T>> ofAll(
            List<NamedDatabase> databases,
            DatabaseOptions options,
            BiFunction<NamedDatabase, ChosenDatabase, T> question)
            throws InterruptedException {
        List<CompletableFuture<T>> asked = new ArrayList<>();
        for (NamedDatabase each : databases) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try (ChosenDatabase chosen = each.choose(options)) {
                            answer.complete(question.apply(each, chosen));
                        } catch (RuntimeException | Error failure) {
                            answer.completeExceptionally(failure);
                        }
                    },
                    "baton-ask-" + each.name());
            thread.setDaemon(true);
            thread.start();
            asked.add(answer);
        }
        long end = System.nanoTime() + LONGEST.toNanos();
        List<DatabaseAnswer<T>> answers = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            answers.add(answer(databases.get(i).name(), asked.get(i), end));
        }
        return answers;
    }

    private static <T> DatabaseAnswer<T> answer(String name, CompletableFuture<T> asked, long end)
            throws InterruptedException {
        try {
            return new DatabaseAnswer<>(
                    name, asked.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS), null);
        } catch (TimeoutException late) {
            return new DatabaseAnswer<>(
                    name,
                    null,
                    DatabaseException.of(
                            "ask the database",
                            new SQLException("no answer within " + LONGEST.toSeconds() + " s", "08006")));
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            return new DatabaseAnswer<>(
                    name,
                    null,
                    failed.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failed));
        }
    }

    /** Why there is no answer. */
    public String sentence() {
        return failure == null ? "" : String.valueOf(failure.getMessage());
    }
}

package org.pgbaton.testkit.publisher;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.pgbaton.subscription.HandlerException;

/** The outcome of a message that was given to a publisher. */
public final class Outcome {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Outcome() {}

    /**
     * Waits until a message is published.
     *
     * @throws ExecutionException if it failed
     */
    public static void awaitPublished(CompletionStage<?> stage) throws Exception {
        stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** How it failed; fails itself if that takes longer than 20 s. */
    public static HandlerException failure(CompletionStage<?> stage) throws Exception {
        return failure(stage, PATIENCE);
    }

    /** How it failed; fails itself if that takes longer. */
    public static HandlerException failure(CompletionStage<?> stage, Duration atMost) throws Exception {
        try {
            stage.toCompletableFuture().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof HandlerException told) {
                return told;
            }
            throw failed;
        }
        throw new AssertionError("It was published");
    }
}

package org.pgbaton.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;

/**
 * One message on its way, as its request. Ends exactly once: by the status if there was one, whatever becomes of the rest of the answer,
 * or by the failure. Of the rest a little is read for the error, and for at most 0.1 s more is thrown away to keep the connection; then
 * the connection is closed.
 *
 * <p>Called by the client's thread, and by whoever closes.
 */
final class Attempt extends EventListener implements Callback {
    private static final long MOST_READ = 8192;

    private final UUID message;
    private final Answers answers;
    private final Duration limit;
    private final Silence silence;
    private final BooleanSupplier othersWait;
    private final Runnable onSilence;
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private volatile boolean sent;
    private volatile long sentAt;
    private volatile @Nullable Response known;

    /**
     * @param othersWait whether other requests are under way
     * @param onSilence when a request that was sent is not answered in time
     */
    Attempt(
            UUID message,
            Answers answers,
            Duration limit,
            Silence silence,
            BooleanSupplier othersWait,
            Runnable onSilence) {
        this.message = message;
        this.answers = answers;
        this.limit = limit;
        this.silence = silence;
        this.othersWait = othersWait;
        this.onSilence = onSilence;
    }

    CompletionStage<Void> result() {
        return result;
    }

    CompletableFuture<Void> ended() {
        return result.handle((done, failure) -> null);
    }

    @Override
    public void requestHeadersStart(Call call) {
        sentAt = System.nanoTime();
        sent = true;
        // The client sends once more if a connection it had kept turns out to be dead.
        known = null;
    }

    @Override
    public void responseHeadersEnd(Call call, Response response) {
        known = response;
        silence.broken();
    }

    @Override
    public void onResponse(Call call, Response response) {
        String text = "";
        try (response) {
            text = response.isSuccessful() ? "" : text(response);
        } catch (RuntimeException malformed) {
            // The client trips over a body of -4 bytes. The status is what counts, and the connection is of no use any
            // more.
            call.cancel();
        }
        // Not before the connection is free for the message that follows.
        Response asItCame = known;
        end(asItCame == null ? response : asItCame, text);
    }

    private static String text(Response response) {
        Buffer text = new Buffer();
        try {
            BufferedSource body = response.body().source();
            while (text.size() < MOST_READ && body.read(text, MOST_READ - text.size()) >= 0) {}
        } catch (IOException cutOff) {
            // The status is what counts; of the text, as much as came.
        }
        return text.readUtf8();
    }

    @Override
    public void onFailure(Call call, IOException failure) {
        Response response = known;
        if (response != null) {
            // For instance a 204 with a body: taken, although the client does not like the form.
            end(response, "");
            return;
        }
        if (sent && failure instanceof InterruptedIOException) {
            onSilence.run();
            fail(answers.none(limit, silence.isGeneral(message, sentAt, othersWait.getAsBoolean())));
            return;
        }
        fail(answers.of(failure, limit));
    }

    private void end(Response response, String text) {
        HandlerException failure = answers.of(response.code(), response::header, text);
        if (failure == null) {
            result.complete(null);
        } else {
            fail(failure);
        }
    }

    void fail(HandlerException failure) {
        result.completeExceptionally(failure);
    }
}

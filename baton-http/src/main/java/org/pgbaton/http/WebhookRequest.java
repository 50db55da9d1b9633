package org.pgbaton.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;

/**
 * The request that carries one message. It ends exactly once: by the status if there was one, even if the rest of the
 * answer fails; otherwise by the failure. A little of the rest is read for the error. The client reads on for at most
 * 0.1 s to keep the connection, and then closes it.
 *
 * <p>Threading: called by the client's threads, and by the thread that closes the publisher.
 */
final class WebhookRequest extends EventListener implements Callback {
    private static final long MOST_READ = 8192;

    private final UUID message;
    private final WebhookVerdicts verdicts;
    private final Duration limit;
    private final SilentEndpoint silence;
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private volatile boolean sent;
    private volatile long sentAt;
    private volatile @Nullable Response known;

    WebhookRequest(UUID message, WebhookVerdicts verdicts, Duration limit, SilentEndpoint silence) {
        this.message = message;
        this.verdicts = verdicts;
        this.limit = limit;
        this.silence = silence;
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
        // The client sends the request once more if a kept connection turns out to be dead.
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
            // The client fails at a body of -4 bytes. The status counts, and the connection cannot be used any more.
            call.cancel();
        }
        // End the message only when the connection is free for the next one.
        Response asItCame = known;
        end(asItCame == null ? response : asItCame, text);
    }

    private static String text(Response response) {
        Buffer text = new Buffer();
        try {
            BufferedSource body = response.body().source();
            while (text.size() < MOST_READ && body.read(text, MOST_READ - text.size()) >= 0) {}
        } catch (IOException cutOff) {
            // The status counts. The text is used as far as it came.
        }
        return text.readUtf8();
    }

    @Override
    public void onFailure(Call call, IOException failure) {
        Response response = known;
        if (response != null) {
            // For instance a 204 with a body: the endpoint has taken the message, although the client rejects the form
            // of the answer.
            end(response, "");
            return;
        }
        if (sent && failure instanceof InterruptedIOException) {
            fail(verdicts.none(limit, silence.isGeneral(message, sentAt)));
            return;
        }
        fail(verdicts.of(failure, limit));
    }

    private void end(Response response, String text) {
        HandlerException failure = verdicts.of(response.code(), response::header, text);
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

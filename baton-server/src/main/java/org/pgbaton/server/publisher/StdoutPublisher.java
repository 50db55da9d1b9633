package org.pgbaton.server.publisher;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.MessageJson;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;

/** Prints messages as JSON lines. A message counts as published when the operating system has taken the line. Thread-safe. */
final class StdoutPublisher implements Publisher {
    private final PrintStream out;

    StdoutPublisher(PrintStream out) {
        this.out = out;
    }

    @Override
    public String target() {
        return "standard output";
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        Map<String, @Nullable Object> json = MessageJson.of(message);
        json.put("epoch", delivery.epoch());
        json.put("attempt", delivery.attempt());
        synchronized (out) {
            out.println(Output.jsonLine(json));
            if (out.checkError()) { // flushes, too
                throw new HandlerException(Verdict.OUTAGE, "Standard output takes no lines any more: was it closed?");
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        out.flush();
    }
}

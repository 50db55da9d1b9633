package org.pgbaton.proofs.subscription;

import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;

/** A target of the tests' own. */
final class Answering implements Publisher {
    private final BiFunction<Message, Delivery, CompletionStage<?>> answer;

    Answering(BiFunction<Message, Delivery, CompletionStage<?>> answer) {
        this.answer = answer;
    }

    @Override
    public String target() {
        return "a target of the tests' own";
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        return answer.apply(message, delivery);
    }

    @Override
    public void close() {}
}

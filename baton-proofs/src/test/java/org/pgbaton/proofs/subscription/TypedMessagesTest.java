package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.jackson3.Jackson3Codecs;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.typed.MessageTypes;
import org.pgbaton.typed.TypedReaction;
import org.pgbaton.typed.UnknownType;
import tools.jackson.databind.json.JsonMapper;

/** Promise 9, for typed messages: nothing is skipped without somebody asking for it by name. */
@BatonTest
class TypedMessagesTest {
    record Deposited(int amount) {}

    record Closed() {}

    private static final MessageTypes TYPES = MessageTypes.with(
                    Jackson3Codecs.with(JsonMapper.builder().build()))
            .add(Deposited.class)
            .add(Closed.class)
            .build();

    private static final MessageTypes KNOWS_LESS = MessageTypes.with(
                    Jackson3Codecs.with(JsonMapper.builder().build()))
            .add(Deposited.class)
            .build();

    private final List<String> handled = new CopyOnWriteArrayList<>();

    private final TypedReaction reaction = TypedReaction.with(TYPES)
            .on(Deposited.class, (event, message, delivery) -> handled.add(message.key() + " " + event.amount()));

    private static Subscription start(Baton baton, TypedReaction reaction) {
        return baton.subscription("typed").on("events").react(reaction).start();
    }

    private static void append(Baton baton) {
        baton.log("events")
                .append(List.of(
                        Draft.json("{}").type("Closed").key("a"),
                        TYPES.draft(new Deposited(1)).key("a"),
                        TYPES.draft(new Deposited(2)).key("b").headers(Map.of("traceparent", "00-abc-def-01"))));
    }

    @Test
    void aTypeThatNobodyKnowsParksItsKeyAndNoOther(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Subscription running = start(baton, reaction)) {
            append(baton);
            Eventually.isTrue(
                    () -> handled.equals(List.of("b 2")) && running.stats().keysParked() == 1);
            assertThat(database.one("SELECT attempts || ' ' || error FROM baton.parked"))
                    .isEqualTo(
                            "1 The message at position 1 of key 'a', type 'Closed', has no handler: add one, or choose"
                                    + " unknown(UnknownType.SKIP).");
        }
    }

    @Test
    void aProgramThatKnowsTheTypeGoesOnWhereTheOtherParked(TestDatabase database) throws Exception {
        aTypeThatNobodyKnowsParksItsKeyAndNoOther(database);
        try (Baton baton = database.baton();
                Subscription running = start(
                        baton,
                        reaction.on(
                                Closed.class, (event, message, delivery) -> handled.add(message.key() + " closed")))) {
            assertThat(baton.subscriptions().retry("typed", "a", "it is known now"))
                    .isTrue();
            Eventually.isTrue(() -> handled.equals(List.of("b 2", "a closed", "a 1")));
            Eventually.isTrue(() -> running.stats().keysParked() == 0);
        }
    }

    @Test
    void whoAsksForItByNameHasUnknownTypesSkipped(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Subscription running = start(baton, reaction.unknown(UnknownType.SKIP))) {
            append(baton);
            Eventually.isTrue(() -> handled.size() == 2);
            assertThat(handled).containsExactlyInAnyOrder("a 1", "b 2");
            assertThat(running.stats().keysParked()).isZero();
        }
    }

    @Test
    void orTheSubscriptionStops(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Subscription running = start(baton, reaction.unknown(UnknownType.STOP))) {
            append(baton);
            Eventually.isTrue(() -> running.state() == SubscriptionState.STOPPED);
            assertThat(handled).doesNotContain("a 1");
        }
    }

    @Test
    void aBatchLosesTheKeyThatCannotBeReadAndNoOther(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Subscription running = baton.subscription("typed")
                        .on("events")
                        .reactToBatches((messages, delivery) -> {
                            List<String> texts = messages.stream()
                                    .map(each -> each.key() + " " + ((Deposited) KNOWS_LESS.read(each)).amount())
                                    .toList();
                            handled.addAll(texts);
                        })
                        .start()) {
            append(baton);
            Eventually.isTrue(() -> handled.contains("b 2") && running.stats().keysParked() == 1);
            assertThat(handled).doesNotContain("a 1");
            assertThat(baton.subscriptions().parkedMessages("typed", "a", 0, 10))
                    .extracting(Message::type)
                    .containsExactly("Closed", "Deposited");
        }
    }
}

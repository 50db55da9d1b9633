package org.pgbaton.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Codec;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.StoredMessage;

class MessageTypesTest {
    record Deposited(String text) {}

    record Withdrawn(String text) {}

    /** The payload is the value of the only field, a JSON text. */
    private static final Codecs CODECS = new Codecs() {
        @Override
        public <T> Codec<T> codec(Class<T> type) {
            return Codec.json(
                    value -> value instanceof Deposited deposited ? deposited.text() : ((Withdrawn) value).text(),
                    text -> type.cast(type == Deposited.class ? new Deposited(text) : new Withdrawn(text)));
        }
    };

    private static MessageTypes.Builder types() {
        return MessageTypes.with(CODECS).add(Deposited.class);
    }

    private static MessageTypes thirdVersion() {
        return types().upcast(Deposited.class, 1, Upcaster.text(text -> "[" + text + ",1]"))
                .upcast(Deposited.class, 2, Upcaster.text(text -> "[" + text + ",2]"))
                .build();
    }

    @Test
    void aDraftHasTheNameOfItsTypeAndTheVersionOfItsPayload() {
        Draft first = types().build().draft(new Deposited("10"));
        assertThat(first.type()).isEqualTo("Deposited");
        assertThat(first.json()).isEqualTo("10");
        assertThat(first.headers()).isEqualTo("{\"payload-version\":\"1\"}");

        assertThat(thirdVersion().draft(new Deposited("10")).headers()).isEqualTo("{\"payload-version\":\"3\"}");
    }

    @Test
    void theVersionStaysWhenHeadersAreSetAndWinsOverOneAmongThem() {
        Draft draft = thirdVersion().draft(new Deposited("10")).headers(Map.of("payload-version", "1"));

        assertThat(thirdVersion().read(written(draft))).isEqualTo(new Deposited("10"));
        assertThat(draft.headersJson("{ }").headers()).isEqualTo("{\"payload-version\":\"3\"}");
        assertThat(draft.headersJson("{\"a\": {}} ").headers()).isEqualTo("{\"a\": {},\"payload-version\":\"3\"}");
    }

    @Test
    void aNameOtherThanThatOfTheClassCanBeGiven() {
        MessageTypes types =
                MessageTypes.with(CODECS).add("MoneyDeposited", Deposited.class).build();

        assertThat(types.draft(new Deposited("1")).type()).isEqualTo("MoneyDeposited");
        assertThat(types.read(written(types.draft(new Deposited("1"))))).isEqualTo(new Deposited("1"));
        assertParked(types, message("Deposited", "1", null), "type 'Deposited', is of no type that this program knows");
    }

    @Test
    void onlyAddedClassesAreWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().build().draft(new Withdrawn("1")))
                .withMessageContaining("MessageTypesTest$Withdrawn is not among the types of messages: add it");
    }

    @Test
    void theNameOfAClassThatComesWithAMessageMeansNothing() {
        assertParked(types().build(), message(Deposited.class.getName(), "1", null), "is of no type");
        assertParked(types().build(), message(null, "1", null), "of key 'k', without a type, is of no type");
    }

    @Test
    void anOldPayloadPassesThroughTheUpcastersFromItsVersionOn() {
        assertThat(thirdVersion().read(message("Deposited", "0", "{\"payload-version\":1}")))
                .isEqualTo(new Deposited("[[0,1],2]"));
        assertThat(thirdVersion().read(message("Deposited", "0", "{\"payload-version\":\"2\"}")))
                .isEqualTo(new Deposited("[0,2]"));
        assertThat(thirdVersion().read(message("Deposited", "0", "{\"payload-version\":3}")))
                .isEqualTo(new Deposited("0"));
    }

    @Test
    void aPayloadWithoutAVersionHasVersion1() {
        assertThat(thirdVersion().read(message("Deposited", "0", null))).isEqualTo(new Deposited("[[0,1],2]"));
    }

    @Test
    void aVersionThatThisProgramCannotKnowIsParked() {
        assertParked(
                thirdVersion(),
                message("Deposited", "0", "{\"payload-version\":4}"),
                "cannot be decoded: it has version 4, and this program knows versions up to 3.");
        for (String nonsense : new String[] {"0", "-1", "\"two\"", "1.5", "99999999999"}) {
            assertParked(
                    thirdVersion(),
                    message("Deposited", "0", "{\"payload-version\":" + nonsense + "}"),
                    "its header payload-version is no number from 1");
        }
    }

    @Test
    void oldUpcastersCanGoWhenTheirMessagesAreGone() {
        MessageTypes types = types().upcast(Deposited.class, 2, Upcaster.text(text -> "[" + text + ",2]"))
                .build();

        assertThat(types.read(message("Deposited", "0", "{\"payload-version\":2}")))
                .isEqualTo(new Deposited("[0,2]"));
        assertParked(types, message("Deposited", "0", null), "there is no upcaster from version 1");
    }

    @Test
    void aFailureNamesTypePositionKeyAndReasonAndNothingOfThePayload() {
        String secret = "\"4929 1234\"";
        MessageTypes types = types().upcast(Deposited.class, 1, payload -> {
                    throw new IllegalStateException(new String(payload, StandardCharsets.UTF_8));
                })
                .build();

        HandlerException failure = assertParked(
                types,
                message("Deposited", secret, null),
                "The message at position 7 of key 'k', type 'Deposited', cannot be decoded: the upcaster from version 1"
                        + " failed with IllegalStateException.");
        assertThat(failure).hasNoCause();
        assertThat(failure.toString()).doesNotContain("4929");
    }

    @Test
    void theReasonThatAnUpcasterTellsIsShown() {
        MessageTypes types = types().upcast(Deposited.class, 1, payload -> {
                    throw new UndecodableException("it has no currency");
                })
                .build();

        assertParked(types, message("Deposited", "1", null), "the upcaster from version 1 failed: it has no currency.");
    }

    @Test
    void whatRedactionLeavesIsNotTakenForAMessage() {
        assertParked(thirdVersion(), message("Deposited", "{\"redacted\":true}", null), "it was redacted");
    }

    @Test
    void bytesAreNotTakenForJson() {
        Message bytes = message("Deposited", "1", null).replaced(UUID.randomUUID(), false, new byte[] {1});

        assertParked(types().build(), bytes, "it was written as bytes, not as JSON");
    }

    @Test
    void aCodecThatGivesNothingIsAFailure() {
        AtomicReference<String> nothing = new AtomicReference<>();
        Codecs codecs = new Codecs() {
            @Override
            public <T> Codec<T> codec(Class<T> type) {
                return Codec.json(Object::toString, text -> type.cast(nothing.get()));
            }
        };

        assertParked(
                MessageTypes.with(codecs).add("T", String.class).build(),
                message("T", "null", null),
                "the payload is null");
    }

    @Test
    void aLongKeyIsCutOff() {
        Message message = Message.unlogged(
                UUID.randomUUID(), "k".repeat(1000), "X", "1".getBytes(StandardCharsets.UTF_8), Instant.EPOCH);

        assertParked(types().build(), message, "of key '" + "k".repeat(60) + "…'");
    }

    @Test
    void mistakesOfRegistrationAreRefusedAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().add("Other", Deposited.class))
                .withMessageContaining("was added before");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().add("Deposited", Withdrawn.class))
                .withMessageContaining("was added before");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().add(new Object() {}.getClass()))
                .withMessageContaining("needs a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().upcast(Withdrawn.class, 1, payload -> payload))
                .withMessageContaining("add it first");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().upcast(Deposited.class, 0, payload -> payload))
                .withMessageContaining("versions begin at 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().upcast(Deposited.class, 1, payload -> payload)
                        .upcast(Deposited.class, 1, payload -> payload))
                .withMessageContaining("two upcasters from version 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types().upcast(Deposited.class, 1, payload -> payload)
                        .upcast(Deposited.class, 3, payload -> payload)
                        .build())
                .withMessageContaining("missing between version 1 and version 4: there are those from [1, 3]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").payloadVersion(0))
                .withMessageContaining("cannot have version 0");
    }

    private static HandlerException assertParked(MessageTypes types, Message message, String sentence) {
        HandlerException failure = catchThrowableOfType(HandlerException.class, () -> types.read(message));
        assertThat(failure).hasMessageContaining(sentence);
        assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
        assertThat(failure.troubled()).isSameAs(message);
        return failure;
    }

    private static Message written(Draft draft) {
        return message(draft.type(), String.valueOf(draft.json()), draft.headers());
    }

    static Message message(@Nullable String type, String json, @Nullable String headers) {
        return new StoredMessage(
                7,
                0,
                "k",
                null,
                type,
                null,
                UUID.randomUUID(),
                true,
                json.getBytes(StandardCharsets.UTF_8),
                headers,
                Instant.EPOCH,
                null);
    }
}

package org.pgbaton.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Codec;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** The projection shares the mechanism. */
class TypedReactionTest {
    private static final Delivery DELIVERY = new Delivery("s", "", 1, 1);

    private static final Codecs CODECS = new Codecs() {
        @Override
        public <T> Codec<T> codec(Class<T> type) {
            return Codec.json(
                    Object::toString, text -> type.cast(type == Integer.class ? Integer.valueOf(text) : text));
        }
    };

    private final MessageTypes types =
            MessageTypes.with(CODECS).add(Integer.class).add(String.class).build();
    private final List<String> handled = new ArrayList<>();
    private final TypedReaction reaction = TypedReaction.with(types)
            .on(Integer.class, (number, message, delivery) -> handled.add("number " + (number + 1)))
            .on(String.class, (text, message, delivery) -> handled.add(message.key() + " " + text));

    @Test
    void eachTypeHasItsHandler() throws Exception {
        reaction.handle(message("Integer", "41"), DELIVERY);
        reaction.handle(message("String", "\"x\""), DELIVERY);

        assertThat(handled).containsExactly("number 42", "k \"x\"");
        assertThat(reaction.types()).containsExactly("Integer", "String");
    }

    @Test
    void aTypeWithoutHandlerIsParkedUnlessSomebodyDecidedOtherwise() throws Exception {
        assertVerdict(reaction, message("Long", "1"), Verdict.PARK);
        assertVerdict(reaction, MessageTypesTest.message(null, "1", null), Verdict.PARK);
        assertVerdict(reaction.unknown(UnknownType.STOP), message("Long", "1"), Verdict.STOP);

        reaction.unknown(UnknownType.SKIP).handle(message("Long", "1"), DELIVERY);
        assertThat(handled).isEmpty();
    }

    @Test
    void aTypeThatIsKnownButHasNoHandlerIsUnknownHere() {
        assertVerdict(
                TypedReaction.with(types).on(String.class, (text, message, delivery) -> handled.add(text)),
                message("Integer", "1"),
                Verdict.PARK);
    }

    @Test
    void whatCannotBeDecodedIsParkedWhateverIsSaidOfUnknownTypes() {
        for (UnknownType decision : UnknownType.values()) {
            assertThatExceptionOfType(HandlerException.class)
                    .isThrownBy(() -> reaction.unknown(decision).handle(message("Integer", "true"), DELIVERY))
                    .withMessage("The message at position 7 of key 'k', type 'Integer', cannot be decoded:"
                            + " NumberFormatException.")
                    .matches(failure -> failure.verdict() == Verdict.PARK);
        }
    }

    @Test
    void aHandlersOwnFailureIsItsOwn() {
        IllegalStateException own = new IllegalStateException("mine");
        TypedReaction failing = TypedReaction.with(types).on(Integer.class, (number, message, delivery) -> {
            throw own;
        });

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> failing.handle(message("Integer", "1"), DELIVERY))
                .isSameAs(own);
    }

    @Test
    void mistakesAreRefusedAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reaction.on(Long.class, (number, message, delivery) -> {}))
                .withMessageContaining("java.lang.Long is not among the types");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reaction.on(Integer.class, (number, message, delivery) -> {}))
                .withMessageContaining("'Integer' has a handler already");
    }

    private static void assertVerdict(TypedReaction reaction, Message message, Verdict verdict) {
        assertThatExceptionOfType(HandlerException.class)
                .isThrownBy(() -> reaction.handle(message, DELIVERY))
                .withMessageContaining("has no handler: add one, or choose unknown(UnknownType.SKIP)")
                .matches(failure -> failure.verdict() == verdict && failure.troubled() == message);
    }

    private static Message message(String type, String json) {
        return MessageTypesTest.message(type, json, null);
    }
}

package org.pgbaton.typed;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * Turns a payload of one version into a payload of the next version. Called from several threads, and for the same message again: the
 * same payload has to give the same result.
 */
@FunctionalInterface
public interface Upcaster {
    /**
     * The payload in the next version.
     *
     * @param payload not to be changed
     * @throws UndecodableException if it makes no sense; of any other exception only the class is shown
     */
    byte[] upcast(byte[] payload);

    /** Changes the payload's text. */
    static Upcaster text(UnaryOperator<String> change) {
        return payload ->
                change.apply(new String(payload, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }
}

package org.pgbaton.typed;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Codec;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One type of message: its name, its class, and the versions that its payload had. Immutable.
 *
 * @param version of the payloads that are written
 * @param upcasters by the version that they start from; none is missing between the first of them and {@code version}
 */
record MessageType<T>(String name, Codec<T> codec, int version, Map<Integer, Upcaster> upcasters) {
    private static final int LONGEST_KEY_SHOWN = 60;

    /** What redaction leaves of a payload. Most decoders would make an object without content of it. */
    private static final String REDACTED = "{\"redacted\":true}";

    Draft draft(T value) {
        // Also version 1: it wins over a header of that name that was copied from another message.
        return Draft.of(value, codec).type(name).payloadVersion(version);
    }

    /** @throws HandlerException that parks the message's key */
    T read(Message message) {
        try {
            return decoded(message);
        } catch (UndecodableException told) {
            throw undecodable(message, told.getMessage());
        } catch (RuntimeException notShown) {
            throw undecodable(message, notShown.getClass().getSimpleName());
        }
    }

    private T decoded(Message message) {
        if (message.isJson() != codec.isJson()) {
            throw new UndecodableException(
                    codec.isJson() ? "it was written as bytes, not as JSON" : "it was written as JSON, not as bytes");
        }
        if (message.isJson() && message.text().equals(REDACTED)) {
            throw new UndecodableException("it was redacted");
        }
        byte[] payload = message.payload();
        for (int from = versionOf(message); from < version; from++) {
            payload = upcast(from, payload);
        }
        @Nullable T value = codec.decode(payload);
        if (value == null) {
            throw new UndecodableException("the payload is null");
        }
        return value;
    }

    private int versionOf(Message message) {
        String header = message.headerMap().get(Draft.PAYLOAD_VERSION);
        if (header == null) {
            return 1;
        }
        if (!header.matches("[1-9]\\d{0,8}")) {
            throw new UndecodableException("its header " + Draft.PAYLOAD_VERSION + " is no number from 1");
        }
        int written = Integer.parseInt(header);
        if (written > version) {
            throw new UndecodableException(
                    "it has version " + written + ", and this program knows versions up to " + version);
        }
        return written;
    }

    private byte[] upcast(int from, byte[] payload) {
        Upcaster upcaster = upcasters.get(from);
        if (upcaster == null) {
            throw new UndecodableException("there is no upcaster from version " + from);
        }
        try {
            return upcaster.upcast(payload);
        } catch (UndecodableException told) {
            throw new UndecodableException("the upcaster from version " + from + " failed: " + told.getMessage());
        } catch (RuntimeException notShown) {
            throw new UndecodableException("the upcaster from version " + from + " failed with "
                    + notShown.getClass().getSimpleName());
        }
    }

    private static HandlerException undecodable(Message message, @Nullable String reason) {
        return new HandlerException(Verdict.PARK, named(message) + " cannot be decoded: " + reason + ".")
                .about(message);
    }

    /** Type, position and key, for a sentence about the message. */
    static String named(Message message) {
        String key = message.key().length() <= LONGEST_KEY_SHOWN
                ? message.key()
                : message.key().substring(0, LONGEST_KEY_SHOWN) + "…";
        return "The message at position " + message.position() + " of key '" + key + "', "
                + (message.type() == null ? "without a type," : "type '" + message.type() + "',");
    }
}

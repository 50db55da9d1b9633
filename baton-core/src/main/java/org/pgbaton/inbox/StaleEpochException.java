package org.pgbaton.inbox;

import java.util.UUID;
import org.pgbaton.database.BatonException;

/**
 * A message came from a sender that lost its lane: with an older epoch of its key than the inbox has seen. Roll back, and answer with an error; who owns
 * the key now sends the message again.
 */
public final class StaleEpochException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final String inbox;
    private final UUID id;
    private final String key;
    private final long epoch;

    StaleEpochException(String inbox, UUID id, String key, long epoch, Throwable cause) {
        super(
                "Message " + id + " of key '" + (key.length() <= 60 ? key : key.substring(0, 60) + "…")
                        + "' came with epoch " + epoch + ", and inbox '" + inbox
                        + "' has seen a later epoch of that key: its sender is out of date. Roll back, and answer with an error.",
                cause);
        this.inbox = inbox;
        this.id = id;
        this.key = key;
        this.epoch = epoch;
    }

    /** The name of the inbox. */
    public String inbox() {
        return inbox;
    }

    /** The message that was refused. */
    public UUID id() {
        return id;
    }

    /** The key of the message. */
    public String key() {
        return key;
    }

    /** The epoch that the message came with. */
    public long epoch() {
        return epoch;
    }
}

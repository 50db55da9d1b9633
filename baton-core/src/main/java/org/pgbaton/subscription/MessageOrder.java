package org.pgbaton.subscription;

/** What a subscription keeps in order. */
public enum MessageOrder {
    /** Messages of one key, one after the other; different keys in parallel, spread over all members. */
    PER_KEY("key"),
    /** All messages of the log, one after the other, by one owner; the other members stand by. */
    TOTAL("total");

    private final String stored;

    MessageOrder(String stored) {
        this.stored = stored;
    }

    String stored() {
        return stored;
    }
}

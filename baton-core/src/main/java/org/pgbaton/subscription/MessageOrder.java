package org.pgbaton.subscription;

/** What a subscription keeps in order. */
public enum MessageOrder {
    /** Messages of one key, one after the other; different keys in parallel, spread over all members. */
    PER_KEY("key"),
    /** All messages of the log, one after the other, by one owner; the other members stand by. */
    TOTAL("total");

    private final String word;

    MessageOrder(String word) {
        this.word = word;
    }

    /** The word that the views, {@code baton.yaml} and the command line use. */
    public String word() {
        return word;
    }

    /**
     * The order of that word.
     *
     * @throws IllegalArgumentException if it is neither {@code key} nor {@code total}
     */
    public static MessageOrder of(String word) {
        for (MessageOrder order : values()) {
            if (order.word.equals(word)) {
                return order;
            }
        }
        throw new IllegalArgumentException("'" + word + "' is not an order: choose key or total.");
    }
}

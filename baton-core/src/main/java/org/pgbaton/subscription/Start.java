package org.pgbaton.subscription;

/** Where a subscription begins that does not exist yet. One that exists goes on from its checkpoint. */
public sealed interface Start {
    /** Begins with the oldest message in the log. */
    static Start origin() {
        return new After(0);
    }

    /** Begins with the first message that is not yet settled; nothing that commits after starting returned is missed. */
    static Start now() {
        return new Now();
    }

    /** Begins with the first message after this position. */
    static Start after(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("A subscription cannot start after position " + position
                    + ": positions begin at 1, 0 is the origin.");
        }
        return new After(position);
    }

    /**
     * After a position.
     *
     * @param position 0 for the origin
     */
    record After(long position) implements Start {}

    /** With what is not yet settled. */
    record Now() implements Start {}
}

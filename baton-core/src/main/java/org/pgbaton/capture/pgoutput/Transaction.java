package org.pgbaton.capture.pgoutput;

import java.util.ArrayList;
import java.util.List;

/**
 * A transaction while it comes in: gives each change its place, which is the same whenever the server sends the transaction again. Not
 * thread-safe.
 */
public final class Transaction {
    private final WalMessage.Begin begin;
    private long ordinal;

    public Transaction(WalMessage.Begin begin) {
        this.begin = begin;
    }

    public WalMessage.Begin begin() {
        return begin;
    }

    /** How many changes have got a place; the last one's place, because counting starts at 1. */
    public long ordinal() {
        return ordinal;
    }

    /** A place for something that is no change of a table. */
    public long next() {
        return ++ordinal;
    }

    public Change change(WalMessage.RowChange change) {
        return new Change(begin, ++ordinal, change.relation(), change.operation(), change.before(), change.after());
    }

    /** One for each table, each with a place of its own. */
    public List<Change> changes(WalMessage.Truncate truncate) {
        List<Change> changes = new ArrayList<>();
        for (Relation relation : truncate.relations()) {
            changes.add(Change.truncate(begin, ++ordinal, relation));
        }
        return changes;
    }
}

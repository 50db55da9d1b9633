package org.pgbaton.pgoutput;

import java.util.ArrayList;
import java.util.List;

/**
 * Numbers the changes of a transaction while it is received. A change has the same number whenever the server sends the transaction again. Not
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

    /** The number of the last change; 0 before the first. */
    public long ordinal() {
        return ordinal;
    }

    /** A number for something that is not a change of a table. */
    public long next() {
        return ++ordinal;
    }

    public Change change(WalMessage.RowChange change) {
        return new Change(begin, ++ordinal, change.relation(), change.operation(), change.before(), change.after());
    }

    /** One change for each table, each with its own number. */
    public List<Change> changes(WalMessage.Truncate truncate) {
        List<Change> changes = new ArrayList<>();
        for (Relation relation : truncate.relations()) {
            changes.add(Change.truncate(begin, ++ordinal, relation));
        }
        return changes;
    }
}

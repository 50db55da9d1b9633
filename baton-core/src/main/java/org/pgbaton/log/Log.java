package org.pgbaton.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;

/**
 * One log: to append to, and to read. Thread-safe.
 *
 * <pre>{@code
 * Log events = baton.log("events");
 * Draft deposited = Draft.json("{\"amount\": 10}").key("account-42").type("Deposited");
 * events.append(connection, deposited); // in the caller's transaction
 * List<Message> all = events.read().list();
 * }</pre>
 *
 * <p>With a {@link Connection} the append is part of the caller's transaction, and an {@link SQLException} is the caller's
 * to deal with. Without one it is a transaction of its own. That is tried again if PostgreSQL chose it as the victim of a
 * deadlock, and is committed when the call returns: it stays in the log, whatever becomes of a transaction that the caller
 * has open. Either way all drafts of a call are appended or none, in the order in which they are given.
 *
 * <p>Without a {@link Connection}, a {@link DatabaseException} with {@link Fault#IN_TRANSACTION} says that the pool handed
 * out a connection in a transaction that is not Baton's to end.
 *
 * <p>An outbox refuses a message that could never be published, with an {@link IllegalArgumentException} that says why. The
 * caller's transaction can go on.
 *
 * <p>A draft whose id is in the log already adds nothing: the answer is the position of the row that is there, marked as
 * duplicate. If that row is in a transaction which is still open, the append waits for it to end.
 */
public interface Log {
    /** The name that it was created with. */
    String name();

    /** Into how many lanes its keys are spread. */
    int lanes();

    /** The lane of a key, the same in every language and for ever. */
    int laneOf(String key);

    /** Whether messages are published from it, so that what could never be published is refused. */
    boolean isOutbox();

    /** Appends in a transaction of its own, not the caller's. */
    Appended append(Draft draft);

    /** Appends all or none, in this order, in a transaction of their own, not the caller's. */
    List<Appended> append(List<Draft> drafts);

    /**
     * Appends in the caller's transaction.
     *
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if PostgreSQL refuses the row, or the connection is lost
     */
    Appended append(Connection connection, Draft draft) throws SQLException;

    /**
     * Appends all or none, in this order, in the caller's transaction.
     *
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if PostgreSQL refuses a row, or the connection is lost
     */
    List<Appended> append(Connection connection, List<Draft> drafts) throws SQLException;

    /**
     * Appends to one stream, in a transaction of its own. See {@link StreamAppend} for the guarantee.
     *
     * <pre>{@code
     * events.appendTo("account-42", ExpectedVersion.exact(7), List.of(withdrawn));
     * }</pre>
     *
     * @throws VersionConflict if the stream is not where it was expected
     */
    List<Appended> appendTo(String stream, ExpectedVersion expected, List<Draft> drafts);

    /**
     * Appends to one stream, in the caller's transaction. See {@link StreamAppend} for the guarantee.
     *
     * @throws VersionConflict if the stream is not where it was expected; the transaction can go on
     * @throws IllegalStateException if the connection is in autocommit mode, or the isolation is not READ COMMITTED
     * @throws SQLException if PostgreSQL refuses a row, or the connection is lost
     */
    List<Appended> appendTo(Connection connection, String stream, ExpectedVersion expected, List<Draft> drafts)
            throws SQLException;

    /** Begins an append to several streams, or one that depends on streams it does not append to. */
    StreamAppend streams();

    /** Says what to read. Nothing happens until the messages are asked for. */
    Reading read();
}

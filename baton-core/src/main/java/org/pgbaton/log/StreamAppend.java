package org.pgbaton.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * An append to streams, each of which must be where the caller expects it. A stream is the messages of one key that have a
 * version: 1, 2, 3 and so on without a gap.
 *
 * <pre>{@code
 * events.streams()
 *         .append("account-1", ExpectedVersion.exact(7), List.of(withdrawn))
 *         .append("account-2", ExpectedVersion.any(), List.of(deposited))
 *         .require("limits-of-account-1", ExpectedVersion.exact(2))
 *         .run(connection);
 * }</pre>
 *
 * <p>Guarantee: all of it happens or, with a {@link VersionConflict}, nothing; then the caller's transaction can go on as
 * if the call had not been made. What is required is still true when the transaction commits.
 *
 * <p>A stream for which all drafts are in the log already is not compared: its expectation was met when they were appended.
 * So the same append can be repeated by a caller who does not know whether it was committed.
 *
 * <p>Whoever inserts a version with plain SQL takes no lock. {@link #append} notices such an insert, because of the unique
 * index, and starts again; {@link #require} notices it only if it is committed before.
 *
 * <p>Not thread-safe, and to be run once or, after a failure, again.
 */
public interface StreamAppend {
    /**
     * Appends these drafts to a stream.
     *
     * @param drafts without a key, or with the stream's
     */
    StreamAppend append(String stream, ExpectedVersion expected, List<Draft> drafts);

    /** Requires a stream to be there until the transaction commits. Nothing is appended to it. */
    StreamAppend require(String stream, ExpectedVersion expected);

    /**
     * Runs it in a transaction of its own.
     *
     * @return an answer for each draft, in the order in which they were given
     * @throws VersionConflict if a stream is not where it was expected
     */
    List<Appended> run();

    /**
     * Runs it in the caller's transaction.
     *
     * @return an answer for each draft, in the order in which they were given
     * @throws VersionConflict if a stream is not where it was expected
     * @throws IllegalStateException if the connection is in autocommit mode, or the isolation is not READ COMMITTED
     * @throws SQLException if PostgreSQL refuses a row, or the connection is lost
     */
    List<Appended> run(Connection connection) throws SQLException;
}

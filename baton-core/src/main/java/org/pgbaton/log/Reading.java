package org.pgbaton.log;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What to read from a log: one stream in the order of its versions, or the whole log in the order of its positions.
 *
 * <pre>{@code
 * List<Message> account = events.read().stream("account-42").from(8).list();
 * events.read().after(1000).types("Deposited").limit(100).messages().forEach(System.out::println);
 * }</pre>
 *
 * <p><b>The whole log.</b> A row can become visible below one that is visible already, because its transaction was slower.
 * So a read of the whole log ends where, when it began, nothing could appear below any more: it takes the log's end and
 * waits for those who have written below it and not yet ended. If they have not ended {@link #patience in time}, the read
 * fails and names them, rather than leave something out. This is for reading once, in tools and tests; to follow a log, use
 * a subscription.
 *
 * <p><b>A stream</b> needs no such care: version n+1 cannot be committed before version n, unless somebody numbers by
 * hand. Messages without a version are not part of a stream.
 *
 * <p>Messages come in pages, each read on an ordinary connection in a transaction of its own; between pages nothing is
 * held, and there is nothing to close. A page has at most 500 messages, and ends early when they get heavy. Retention may
 * remove rows ahead of a slow reader.
 *
 * <p>Not thread-safe; make one for each read.
 */
public interface Reading {
    /** Reads only this stream, in the order of its versions. */
    Reading stream(String key);

    /** Begins here, this one included: a version if a stream is read, otherwise a position. */
    Reading from(long versionOrPosition);

    /** Begins behind this one, in the direction of reading: a version if a stream is read, otherwise a position. */
    Reading after(long versionOrPosition);

    /** Reads from the end to the beginning. */
    Reading backwards();

    /** Reads only messages of these types. There is no index for it: the database reads the others and leaves them out. */
    Reading types(String... types);

    /**
     * Reads only messages whose key begins like this. There is no index for it: the database reads the others and leaves
     * them out.
     */
    Reading keyPrefix(String prefix);

    /** Ends after so many messages. Default: no limit. */
    Reading limit(long most);

    /** Reads so many messages with one statement: 1 to 10,000, default 500. */
    Reading pageSize(int most);

    /** How long to wait for transactions that wrote to the log and are still open. Default 5 s. */
    Reading patience(Duration longest);

    /** Reads everything that is visible, although rows may still appear in between: to look at, not to process. */
    Reading unsettled();

    /**
     * The messages, read as they are needed.
     *
     * <p>Reading on throws a {@link LogException} if open transactions do not end in time.
     */
    Stream<Message> messages();

    /**
     * The messages of a stream, in the caller's transaction and with what it has appended itself. The connection must not
     * be closed before the messages are read.
     *
     * @throws IllegalStateException if no stream is named: a transaction that has written would wait for itself
     */
    Stream<Message> messages(Connection connection);

    /**
     * All messages at once.
     *
     * @throws LogException if open transactions do not end in time
     */
    List<Message> list();
}

package org.pgbaton.session;

import org.jspecify.annotations.Nullable;

/**
 * A moment between two steps of a protocol, at which a test can let the process crash, freeze, wait or fail.
 *
 * <p>Nothing happens unless the process was started with {@code -Dbaton.failpoint=MOMENT:ACTION:N}, such as {@code
 * before-commit:crash:17}: whoever passes that moment for the 17th time crashes. Without the property {@link #pass} is an empty method to
 * the compiler of the JVM.
 *
 * <p>Thread-safe.
 */
public enum Failpoint {
    /** A session is about to ask for a lock. */
    BEFORE_LOCK,
    /** A session has got a lock, and nobody has been told. */
    AFTER_LOCK,
    /** A new epoch of a lane is recorded, and its owner does not know it. */
    AFTER_EPOCH,
    /** A session is about to give a lock back. */
    BEFORE_UNLOCK,
    /** A session has given a lock back. */
    AFTER_UNLOCK,
    /** A unit of work has begun; its handler has not been called. */
    BEFORE_HANDLER,
    /** The handler has returned; the checkpoint has not been moved. */
    BEFORE_CLOSE,
    /** The checkpoint has been moved in a transaction that is still open. */
    AFTER_CLOSE,
    /** Messages of keys that were set aside are handled; nothing of that is recorded. */
    BEFORE_SETTLE,
    /** A transaction is about to commit. */
    BEFORE_COMMIT,
    /** A transaction has been committed, and nobody has been told. */
    AFTER_COMMIT,
    /** A message, or a batch of them, is about to go to a target. */
    BEFORE_PUBLISH,
    /** A target has confirmed it, and nothing has been recorded. */
    AFTER_PUBLISH,
    /** A capture has read changes, and is about to write them to its log. */
    BEFORE_RECORD,
    /** A capture is about to tell the server what it does not need any more. */
    BEFORE_ACKNOWLEDGE,
    /** A capture has told it. */
    AFTER_ACKNOWLEDGE;

    private static final @Nullable FailpointPlan PLAN = FailpointPlan.of(System.getProperty("baton.failpoint"));

    /** Something has come to this moment. */
    public void pass() {
        if (PLAN != null) {
            PLAN.pass(this);
        }
    }
}
